// SPDX-License-Identifier: Apache-2.0
import { Component, type ReactNode } from 'react';
import { Notice } from '../components/Notice';
import { loadAgain } from '../state/address';

interface Props {
  /** A new key (the path) clears the error: another page may well work. */
  resetKey: string;
  children: ReactNode;
}

interface State {
  failed: Error | null;
  resetKey: string;
}

// What browsers say when a part of the page cannot be loaded; such a part is not asked for twice.
const NOT_LOADED = /dynamically imported module|importing a module script|preload CSS/i;

/** A page that breaks takes only itself down; header and address stay. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError(failed: unknown): Partial<State> {
    return { failed: failed instanceof Error ? failed : new Error(String(failed)) };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.resetKey === state.resetKey ? null : { failed: null, resetKey: props.resetKey };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    const { message } = this.state.failed;
    const missing = NOT_LOADED.test(message);
    return (
      <div className="page">
        <Notice
          tone="bad"
          title={missing ? 'A part of the page did not load' : 'Something went wrong here'}
          action={{ label: 'Try again', onClick: () => (missing ? loadAgain() : this.setState({ failed: null })) }}
        >
          {missing ? 'The server does not answer, or has a newer page.' : `${message}.`} Nothing on the server was
          changed; the address still holds the view.
        </Notice>
      </div>
    );
  }
}
