// SPDX-License-Identifier: Apache-2.0
// Files as they come from a drop or a chooser.

const MAGIC = [0x89, 0x43, 0x4f, 0x41, 0x4c];
const PEEK = 1024;
const HEADER = 65_536;

/** Workbooks, gzip and UTF-16, as they begin. */
const TABLES = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
  [0x1f, 0x8b],
  [0xff, 0xfe],
  [0xfe, 0xff],
];

/** A file is taken for a table unless it begins as a run log, is not text, or is called a run log and has no columns. The server looks again. */
export async function isCsv(file: File): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, PEEK).arrayBuffer());
  if (head.length === 0) return false;
  if (MAGIC.every((byte, i) => head[i] === byte)) return false;
  const packed = TABLES.some((start) => start.every((byte, i) => head[i] === byte));
  if (packed) return !/\.runlog(\.gz)?$/.test(file.name);
  if (head.includes(0)) return false;
  return !file.name.endsWith('.runlog') || /^[^\n]*,/.test(new TextDecoder().decode(head));
}

/** Whether a table says its own kind, in a column of that name, as exports do. */
export async function saysKind(file: File): Promise<boolean> {
  const head = await file.slice(0, HEADER).text();
  const header = head.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0] ?? '';
  return header.split(',').some((name) => name.trim().replace(/^"(.*)"$/, '$1') === 'kind');
}

function entryFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

function batch(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

async function within(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await entryFile(entry as FileSystemFileEntry)];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (let entries = await batch(reader); entries.length; entries = await batch(reader))
    for (const each of entries) files.push(...(await within(each)));
  return files.filter(({ name }) => !name.startsWith('.'));
}

/** Every file that was dropped, those in dropped folders too. */
export async function filesIn(dropped: DataTransfer): Promise<File[]> {
  // The entries must be taken before the first await: the list is emptied afterwards.
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...dropped.files];
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const files = await Promise.all(entries.map((entry) => (entry ? within(entry) : [])));
  return files.flat();
}
