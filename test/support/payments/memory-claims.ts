import type {
  ClaimFacts,
  ClaimKey,
  ClaimRecord,
  Claims,
} from '../../../host/payments/claim/claims.ts'

export interface MemoryClaims extends Claims {
  /** Returns every claim, in order of creation. */
  records(): readonly ClaimRecord[]
}

/** Returns claims in the memory of one process. */
export function memoryClaims(): MemoryClaims {
  const records = new Map<string, ClaimRecord>()
  const attempts = new Map<string, number>()
  const nameOf = ({ chainId, kind, id }: ClaimKey) => `${chainId} ${kind} ${id}`
  const update = async (key: ClaimKey, change: Partial<ClaimRecord>) => {
    const record = records.get(nameOf(key))
    if (record === undefined) throw new Error(`no claim of ${nameOf(key)}`)
    records.set(nameOf(key), { ...record, ...change })
  }
  const obstacle = (key: ClaimKey, facts: ClaimFacts, maxAttempts = Number.POSITIVE_INFINITY) => {
    const earlier = records.get(nameOf(key))
    if (earlier === undefined) return undefined
    if (earlier.state === 'delivered') return 'spent'
    if (earlier.state !== 'released') return 'in progress'
    const isIts = earlier.request === facts.request && earlier.body === facts.body
    if (!isIts) return 'other request'
    return (attempts.get(nameOf(key)) ?? 0) >= maxAttempts ? 'exhausted' : undefined
  }
  return {
    async claim(key, facts, maxAttempts) {
      const earlier = records.get(nameOf(key))
      const reason = obstacle(key, facts, maxAttempts)
      if (reason !== undefined) return { won: false, reason }
      const fresh: ClaimRecord = {
        ...facts,
        key,
        state: 'claimed',
        isPaid: key.kind === 'transfer',
        claimedAt: Date.now(),
      }
      const record: ClaimRecord =
        earlier === undefined
          ? fresh
          : {
              ...earlier,
              state: earlier.isPaid && key.kind === 'authorization' ? 'settled' : 'claimed',
            }
      records.set(nameOf(key), record)
      return { won: true, record }
    },
    obstacle: async (key, facts) => obstacle(key, facts),
    isHeld: () => true,
    settling: (key, txHash) => update(key, { txHash }),
    settled: (key, txHash) => update(key, { state: 'settled', isPaid: true, txHash }),
    delivered: (key) => update(key, { state: 'delivered', deliveredAt: Date.now() }),
    release: (key) => update(key, { state: 'released' }),
    failed: (key) => {
      attempts.set(nameOf(key), (attempts.get(nameOf(key)) ?? 0) + 1)
      return update(key, { state: 'released' })
    },
    async removed(chainId, txHashes) {
      for (const [name, { key, txHash = key.id }] of records) {
        if (key.chainId === chainId && txHashes.includes(txHash)) records.delete(name)
      }
    },
    describe: async () => undefined,
    close: async () => undefined,
    records: () => [...records.values()],
  }
}
