// SPDX-License-Identifier: Apache-2.0
export function UploadPage() {
  return <div className="page">Upload</div>;
}
