import type { AssumedRead } from '../../../browser/edit/assumed-read.ts'

/** What the changed transaction read that the bundle does not hold. */
export function AssumedReads({ reads }: { readonly reads: readonly AssumedRead[] }) {
  if (reads.length === 0) return null
  return (
    <div class="notice is-warning">
      <p>
        It read what the bundle does not hold. That was taken to be empty, so it may end otherwise
        on the chain:
      </p>
      <ul aria-label="Reads that were assumed">
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
