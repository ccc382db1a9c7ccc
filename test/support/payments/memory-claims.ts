import type { ClaimKey, ClaimRecord, Claims } from '../../../host/payments/claim/claims.ts'

export interface MemoryClaims extends Claims {
  /** Every claim, in the order in which they were made. */
  records(): readonly ClaimRecord[]
}

/** Claims of one process, gone with it. */
export function memoryClaims(): MemoryClaims {
  const records = new Map<string, ClaimRecord>()
  const nameOf = ({ chainId, kind, id }: ClaimKey) => `${chainId} ${kind} ${id}`
  const update = async (key: ClaimKey, change: Partial<ClaimRecord>) => {
    const record = records.get(nameOf(key))
    if (record === undefined) throw new Error(`no claim of ${nameOf(key)}`)
    records.set(nameOf(key), { ...record, ...change })
  }
  return {
    async claim(key, facts, txHash) {
      const earlier = records.get(nameOf(key))
      if (earlier?.state === 'delivered') return { won: false, reason: 'spent' }
      if (earlier !== undefined && earlier.state !== 'released') {
        return { won: false, reason: 'in progress' }
      }
      if (earlier !== undefined && earlier.request !== facts.request) {
        return { won: false, reason: 'other request' }
      }
      const fresh: ClaimRecord = {
        ...facts,
        key,
        state: 'claimed',
        isPaid: key.kind === 'transfer',
        claimedAt: Date.now(),
        ...(txHash === undefined ? {} : { txHash }),
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
    settling: (key, txHash) => update(key, { txHash }),
    settled: (key, txHash) => update(key, { state: 'settled', isPaid: true, txHash }),
    delivered: (key) => update(key, { state: 'delivered', deliveredAt: Date.now() }),
    release: (key) => update(key, { state: 'released' }),
    describe: async () => undefined,
    close: async () => undefined,
    records: () => [...records.values()],
  }
}
