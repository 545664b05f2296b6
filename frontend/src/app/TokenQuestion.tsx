// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import { answerToken, tokenQuestion } from '../api/token';
import { Dialog } from '../components/Dialog';

export function TokenQuestion() {
  const [token, setToken] = useState('');
  return (
    <Dialog
      title="This server asks for a token"
      confirm="Continue"
      busy={token.trim() === ''}
      onConfirm={() => answerToken(token.trim())}
      onClose={() => answerToken(null)}
    >
      <p>
        Whoever runs the server makes tokens, with <code>coalescope token create</code>. Yours is kept until this tab is
        closed.
      </p>
      {tokenQuestion.isRefused() && (
        <p className="refused" role="alert">
          The token given before is not known here, or may not do this.
        </p>
      )}
      <label className="field">
        Token
        <input
          type="password"
          autoComplete="off"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
      </label>
    </Dialog>
  );
}
