/** A figure of a page, and the source that decides it. */
export interface Fact {
  readonly page: string
  /** Finds the figure in the page as its group. */
  readonly claim: RegExp
  readonly source: string
  /** Finds the figure in the source as its group; digits may be grouped by `_`. */
  readonly value: RegExp
}

export const FACTS: readonly Fact[] = [
  {
    page: 'README.md',
    claim: /a block about every (\d+) ms/,
    source: 'host/base/config/engine-keys.ts',
    value: /'(\d+)ms',/,
  },
  {
    page: 'host/chain/dev/README.md',
    claim: /without `--dev.automine` there is a block every (\d+) ms/,
    source: 'host/base/config/engine-keys.ts',
    value: /'(\d+)ms',/,
  },
  {
    page: 'host/node/README.md',
    claim: /the consensus RPC on port (\d+)/,
    source: 'host/base/config/consensus-keys.ts',
    value: /'tcp:\/\/127\.0\.0\.1:(\d+)', 'address of the consensus RPC'/,
  },
  {
    page: 'host/node/README.md',
    claim: /`\/metrics` of (127\.0\.0\.1:\d+)/,
    source: 'host/base/config/consensus-keys.ts',
    value: /'([\d.]+:\d+)', 'address of \/metrics'/,
  },
  {
    page: 'host/node/README.md',
    claim: /rotated at (\d+) MB/,
    source: 'host/base/config/consensus-keys.ts',
    value: /'log-max-bytes': key\(\s*\S+ 0\),\s*(\d+)_000_000,/,
  },
  {
    page: 'host/payments/README.md',
    claim: /`http:\/\/(127\.0\.0\.1:\d+)\/_payments`/,
    source: 'host/base/config/payments-keys.ts',
    value: /'(127\.0\.0\.1:\d+)',/,
  },
  {
    page: 'host/wallet/README.md',
    claim: /`http:\/\/(127\.0\.0\.1:\d+)\/_wallets`/,
    source: 'host/base/config/wallets-keys.ts',
    value: /'(127\.0\.0\.1:\d+)', 'address of the API/,
  },
  {
    page: 'host/payments/gate/README.md',
    claim: /attempts that the upstream received \(default (\d+)\)/,
    source: 'host/base/config/payments-keys.ts',
    value: /'max-attempts': key\(\s*\S+ 1\),\s*(\d+),/,
  },
  {
    page: 'host/payments/settle/README.md',
    claim: /settlement is ([\d,]+) by\s+a key/,
    source: 'host/payments/settle/settler.ts',
    value: /byKey: (\d+_\d+)n/,
  },
  {
    page: 'host/payments/settle/README.md',
    claim: /by\s+a key(?:,| and)\s+([\d,]+) by a contract/,
    source: 'host/payments/settle/settler.ts',
    value: /byContract: (\d+_\d+)n/,
  },
  {
    page: 'host/api/rpc/README.md',
    claim: /Over (\d+) levels/,
    source: 'host/api/rpc/protocol/request-scan.ts',
    value: /MAX_DEPTH = (\d+)/,
  },
  {
    page: 'host/api/trace-pool/README.md',
    claim: /attempt may take (\d+) ms/,
    source: 'host/api/trace-pool/trace-attempts.ts',
    value: /ATTEMPT_MS = (\d+)/,
  },
  {
    page: 'host/api/trace-pool/README.md',
    claim: /attempt may take \d+ ms and (\d+) KiB/,
    source: 'host/api/trace-pool/trace-attempts.ts',
    value: /RESULT_BYTES = (\d+) \* 1024/,
  },
  {
    page: 'host/chain/snapshot/README.md',
    claim: /compressed chunks of (\d+) MB at most/,
    source: 'host/chain/snapshot/metadata.ts',
    value: /MAX_CHUNK = (\d+) \* 1024 \* 1024/,
  },
  {
    page: 'host/storage/store/README.md',
    claim: /or when (\d+) MiB are pending/,
    source: 'host/storage/store/node-storage.ts',
    value: /FLUSH_BYTES = (\d+) \* MIB/,
  },
  {
    page: 'host/storage/store/README.md',
    claim: /if\s+they exceed (\d+) MiB\)/,
    source: 'host/storage/store/flusher.ts',
    value: /RETAINED_BYTES = (\d+) \* 1024 \* 1024/,
  },
  {
    page: 'host/storage/commit/README.md',
    claim: /blocks or ([\d,]+) rows/,
    source: 'host/storage/commit/lmdb-committer.ts',
    value: /FLUSH_ROWS = ([\d_]+)/,
  },
  {
    page: 'host/storage/store/wal/README.md',
    claim: /files of about (\d+) MiB/,
    source: 'host/storage/store/wal/write-ahead-log.ts',
    value: /FILE_BYTES = (\d+) \* 1024 \* 1024/,
  },
  {
    page: 'host/wallet/service/README.md',
    claim: /Keys have up to (\d+) characters/,
    source: 'host/wallet/service/request-headers.ts',
    value: /LONGEST_KEY = (\d+)/,
  },
  {
    page: 'host/wallet/service/README.md',
    claim: /or more than (\d+) hours ahead/,
    source: 'host/wallet/service/request-headers.ts',
    value: /LATEST_EXPIRY_MS = (\d+) \* 3_600_000/,
  },
]

/** Returns the figure without what groups its digits, or undefined if the text does not have it. */
function figureIn(text: string, pattern: RegExp): string | undefined {
  return pattern.exec(text)?.[1]?.replace(/[_,]/g, '')
}

/**
 * Returns why a fact does not hold, or undefined if it does.
 * @param read returns the text of a file of the checkout
 */
export function factFault(fact: Fact, read: (path: string) => string): string | undefined {
  const claimed = figureIn(read(fact.page), fact.claim)
  if (claimed === undefined) return `the page has no ${fact.claim.source}: mend the row of FACTS`
  const decided = figureIn(read(fact.source), fact.value)
  if (decided === undefined)
    return `${fact.source} has no ${fact.value.source}: mend the row of FACTS`
  return claimed === decided ? undefined : `${claimed}, but ${fact.source} has ${decided}`
}
