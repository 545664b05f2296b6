// SPDX-License-Identifier: Apache-2.0
import { Menu, MenuItem } from '../../components/Menu';
import type { UserDocument } from '../../state/userModel';
import { fileName, save } from '../share/save';

const saveAs = (name: string, text: string, type: string): void => save(new Blob([text], { type }), name);

/** The text in the editor, and, once it has run, the traced model as a file. */
export function SaveMenu({ text, document }: { text(): string; document: UserDocument | null }) {
  return (
    <Menu label="Save the model" trigger="Save">
      <MenuItem
        note="the text in the editor"
        onSelect={() => saveAs(fileName(document?.title ?? 'model', 'py'), text(), 'text/x-python')}
      >
        Python
      </MenuItem>
      <MenuItem
        note="for the API and coalescope fit --model"
        unavailable={document ? undefined : 'run it first'}
        onSelect={() =>
          document &&
          saveAs(fileName(document.title, 'json'), `${JSON.stringify(document.json, null, 1)}\n`, 'application/json')
        }
      >
        Traced model, JSON
      </MenuItem>
    </Menu>
  );
}
