import type { AssumedRead } from '../../../browser/edit/assumed-read.ts'

/** Reads of the changed transaction that the bundle does not hold. */
export function AssumedReads({ reads }: { readonly reads: readonly AssumedRead[] }) {
  if (reads.length === 0) return null
  return (
    <div class="notice is-warning">
      <p>
        It read values that the bundle does not hold. They were taken to be empty, so the outcome on
        the chain may differ:
      </p>
      <ul aria-label="Assumed values">
        {reads.map((read) => (
          <li key={textOf(read)}>{textOf(read)}</li>
        ))}
      </ul>
    </div>
  )
}

function textOf(read: AssumedRead): string {
  switch (read.kind) {
    case 'account':
      return `account ${read.address}`
    case 'storage':
      return `slot 0x${BigInt(read.slot).toString(16)} of ${read.address}`
    case 'code':
      return `code with the hash ${read.codeHash}`
    case 'blockHash':
      return `hash of block ${read.number}`
  }
}
