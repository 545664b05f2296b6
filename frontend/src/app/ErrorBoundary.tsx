// SPDX-License-Identifier: Apache-2.0
import { Component, type ReactNode } from 'react';
import { Notice } from '../components/Notice';

interface Props {
  /** A new key (the path) clears the error: another page may well work. */
  resetKey: string;
  children: ReactNode;
}

interface State {
  failed: Error | null;
  resetKey: string;
}

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
    return (
      <div className="page">
        <Notice
          tone="bad"
          title="This page broke"
          action={{ label: 'Try again', onClick: () => this.setState({ failed: null }) }}
        >
          {this.state.failed.message}. Nothing on the server was changed; the address still holds the view.
        </Notice>
      </div>
    );
  }
}
