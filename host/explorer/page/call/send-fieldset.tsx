import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Hex } from '../../../base/hex.ts'
import { type PlainError, toPlainError } from '../../../base/plain-error.ts'
import { NodeSender } from '../../browser/source/node-sender.ts'
import { addressText } from '../decode/format/address-text.ts'
import { ErrorNotice } from '../frame/error-notice.tsx'
import { useNodeQuery } from '../node/use-node-query.ts'
import type { AskedNode } from '../state/asked-node.ts'
import { useExplorer } from '../state/explorer-context.ts'
import { CREATION } from '../view/page.ts'
import type { CallDraft } from './call-draft.ts'
import { sendByWallet, useWallets } from './wallets.ts'

interface Props {
  readonly node: AskedNode
  /** Reads the form; undefined if it is invalid, which the form then shows. */
  readonly draft: () => CallDraft | undefined
}

/** Sends the call as a transaction, by an account that the node signs for or by a wallet of the browser. */
export function SendFieldset({ node, draft }: Props) {
  const { location } = useExplorer()
  const answer = useNodeQuery(() => new NodeSender(node.url).accounts(), []).value
  const accounts = answer.kind === 'answered' ? answer.value : []
  const wallets = useWallets()
  const signer = useSignal('')
  const doing = useSignal('')
  const error = useSignal<PlainError | undefined>(undefined)
  const left = useRef(new AbortController())
  useEffect(() => () => left.current.abort(), [])
  if (accounts.length === 0 && wallets.length === 0) {
    return (
      <p class="muted">
        Sending needs a wallet in this browser, or a node that signs for accounts, such as{' '}
        <code>lockstep start --dev</code>.
      </p>
    )
  }
  const signers = [
    ...accounts.map((account) => ({
      key: account as string,
      name: `${addressText(account)}, at the node`,
    })),
    ...wallets.map(({ name }, at) => ({ key: `wallet ${at}`, name })),
  ]
  const chosen = signers.find(({ key }) => key === signer.value) ?? signers[0]
  const send = async () => {
    const call = draft()
    if (call === undefined || chosen === undefined) return
    const { to, data, value, gas } = call
    const transaction = { to: to === CREATION ? undefined : (to as Hex), data, value, gas }
    const sender = new NodeSender(node.url)
    error.value = undefined
    doing.value = 'Sending'
    try {
      const wallet = wallets.find((_, at) => chosen.key === `wallet ${at}`)
      const hash = await (wallet === undefined
        ? sender.send({ ...transaction, from: chosen.key as Hex })
        : sendByWallet(wallet, transaction, await node.reader.chainId()))
      doing.value = `Sent as ${hash}; waiting for its block`
      const { signal } = left.current
      await sender.mined(hash, signal)
      if (!signal.aborted) location.go({ page: { kind: 'tx', hash } })
    } catch (thrown) {
      if (left.current.signal.aborted) return
      error.value = toPlainError(thrown)
      doing.value = ''
    }
  }
  return (
    <fieldset>
      <legend>Send it as a transaction</legend>
      <div class="change-field">
        <label for="call-signer">Signer</label>
        <select
          id="call-signer"
          value={chosen?.key ?? ''}
          onChange={(event) => {
            signer.value = event.currentTarget.value
          }}
        >
          {signers.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <p class="muted">
        The signer is the sender. Block and overrides are for the simulation alone.
      </p>
      <button
        type="button"
        class="button"
        disabled={doing.value !== ''}
        onClick={() => void send()}
      >
        Send
      </button>
      <p role="status" class="wrap">
        {doing.value}
      </p>
      {error.value !== undefined && <ErrorNotice error={error.value} />}
    </fieldset>
  )
}
