import { formatData } from '../../../../base/hex.ts'
import { decodeCalldata } from '../../decode/abi/decode-item.ts'
import type { Debugger } from '../../state/debug/debugger.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import { BytesPane } from './bytes-pane.tsx'

/** Calldata of the current frame: as a call, if the function is known, and as bytes. */
export function CallDataPane({ debug }: { readonly debug: Debugger }) {
  const step = debug.run.step.value
  const { uploads: knowledge } = useExplorer()
  if (step === undefined) return null
  const decoded = decodeCalldata(formatData(step.input), knowledge.lens.value, step.codeAddress)
  return (
    <>
      {decoded.kind === 'decoded' && (
        <dl class="decoded" aria-label="Arguments">
          <dt>{decoded.item.name}</dt>
          <dd class="muted">{decoded.item.signature}</dd>
          {decoded.values.map(({ name, type, text }, at) => (
            <div key={at}>
              <dt>{name ?? type}</dt>
              <dd>
                <code>{text}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {decoded.kind === 'raw' && step.input.length > 0 && <p class="muted">{decoded.why}</p>}
      <BytesPane
        debug={debug}
        id="calldata"
        label="Calldata"
        bytes={step.input}
        none="The frame was called without data."
      />
    </>
  )
}
