// SPDX-License-Identifier: Apache-2.0
import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import './Dialog.css';

/** A question that must be answered before going on. The browser holds the focus inside and closes it on Escape. */
export function Dialog(props: {
  title: string;
  children: ReactNode;
  confirm: string;
  /** The other answer. */
  dismiss?: string;
  busy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const box = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const dialog = box.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!props.busy) props.onConfirm();
  }

  return (
    <dialog
      ref={box}
      className="dialog"
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <form onSubmit={submit}>
        <h2 id={title}>{props.title}</h2>
        {props.children}
        <p className="answers">
          <button type="button" className="quiet" onClick={props.onClose}>
            {props.dismiss ?? 'Cancel'}
          </button>
          <button type="submit" className="action" disabled={props.busy}>
            {props.confirm}
          </button>
        </p>
      </form>
    </dialog>
  );
}
