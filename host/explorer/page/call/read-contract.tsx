import type { Hex } from '../../../base/hex.ts'
import { useExplorer } from '../state/explorer-context.ts'
import { ReadFunction } from './read-function.tsx'
import { useOfferedFunctions } from './use-offered-functions.ts'

/** The functions of a contract that only read, each with its answer in place. */
export function ReadContract({ address }: { readonly address: string }) {
  const { node, uploads } = useExplorer()
  const asked = node.value
  const groups = useOfferedFunctions(address)
  const readers = groups
    .map(({ name, isOwn, functions }) => ({
      name,
      isOwn,
      functions: functions.filter(({ isReadOnly }) => isReadOnly === true),
    }))
    .filter(({ functions }) => functions.length > 0)
  if (asked === undefined) return null
  return (
    <section aria-labelledby="read-title">
      <h2 id="read-title">Read</h2>
      {readers.length === 0 && (
        <p class="muted">
          {uploads.files.value.length === 0
            ? 'Drop the contract’s ABI or the compiler output on this page to read it by function.'
            : 'The files on this page have no function that only reads.'}
        </p>
      )}
      {readers.map(({ name, isOwn, functions }, at) => (
        <details key={`${at} ${name}`} open={isOwn}>
          <summary>{isOwn ? name : `${name}, of another code`}</summary>
          {functions.map((item) => (
            <ReadFunction
              key={item.signature}
              id={`read-${at}-${item.selector}`}
              item={item}
              address={address as Hex}
              client={asked.client}
            />
          ))}
        </details>
      ))}
    </section>
  )
}
