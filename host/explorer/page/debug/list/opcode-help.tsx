import type { Revision } from '../../../../evm/chain-types/revision.ts'
import { MEMORY_PRICE, opcodeWords } from '../../decode/opcode/opcode-words.ts'

interface Props {
  readonly opcode: number | undefined
  readonly revision: Revision
}

/** The effect and price of the opcode under the pointer, or else of the current one. */
export function OpcodeHelp({ opcode, revision }: Props) {
  const words = opcode === undefined ? undefined : opcodeWords(opcode, revision)
  return (
    <aside class="opcode-help" aria-label="What the opcode does">
      {words !== undefined && (
        <>
          <p>
            <strong>{words.name}</strong>{' '}
            <code>
              {words.taken.join(' ') || '–'} → {words.left.join(' ') || '–'}
            </code>
          </p>
          <p>{words.does}</p>
          <p class="muted">
            Gas: {words.gas}. {words.gas.includes('memory') && `${MEMORY_PRICE} `}Since{' '}
            {words.since}. <EipLinks eips={words.eips} />
            {words.isMissing && ` ${revision} does not have it: it fails.`}
          </p>
        </>
      )}
      {words === undefined && opcode !== undefined && (
        <p>
          0x{opcode.toString(16).padStart(2, '0')} is not an opcode: it fails and consumes all gas.
        </p>
      )}
    </aside>
  )
}

/** EIPs, as links that open in a new tab. */
function EipLinks({ eips }: { readonly eips: readonly number[] }) {
  return eips.map((eip) => (
    <a
      key={eip}
      href={`https://eips.ethereum.org/EIPS/eip-${eip}`}
      target="_blank"
      rel="noreferrer"
    >
      EIP-{eip}{' '}
    </a>
  ))
}
