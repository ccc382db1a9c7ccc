import type { Hex } from '../../base/hex.ts'
import { formatData, parseData } from '../../base/hex.ts'
import type {
  PostgresQuery,
  PostgresRow,
  PostgresSession,
} from '../../storage/store/postgres/postgres-session.ts'
import { decodeKey, encodeKey } from '../claim/claim-codec.ts'
import { claimRecord } from '../claim/claim-steps.ts'
import type { ClaimKey, ClaimRecord, TokenUnit } from '../claim/claims.ts'
import type { Ledger, LedgerFilter, ResourceRevenue } from '../claim/ledger.ts'
import { claimRowOf, SELECT_CLAIMS, saleOfRow, saleTermsOf } from './postgres-claim-columns.ts'
import { openPaymentDatabase, PostgresClaimStore } from './postgres-claim-store.ts'

const PAGE_ROWS = 200
const LAST_TIME = 2 ** 48 - 1
const SALES = `select s.*, coalesce(sum(payments), 0) as payments, coalesce(sum(amount), 0) as amount,
    coalesce(sum(delivered), 0) as delivered, coalesce(sum(refunds), 0) as refunds,
    coalesce(sum(refunded), 0) as refunded
  from lockstep_payments.sales s left join lockstep_payments.sale_totals t on t.sale = s.number
  group by s.number order by s.number`

function recordOf(row: PostgresRow): ClaimRecord {
  return claimRecord(decodeKey(row.key as Uint8Array), claimRowOf(row), saleTermsOf(row))
}

function unitName(chainId: bigint, asset: Hex): string {
  return `${chainId} ${asset}`
}

/** The payments of a PostgreSQL database. */
export class PostgresLedger implements Ledger {
  readonly #session: PostgresSession
  readonly #store: PostgresClaimStore
  #units: ReadonlyMap<string, TokenUnit> = new Map()

  constructor(session: PostgresSession) {
    this.#session = session
    this.#store = new PostgresClaimStore(session)
  }

  async *payments(filter: LedgerFilter = {}): AsyncGenerator<ClaimRecord, void> {
    const { resource, payer, since = 0, before = LAST_TIME, isAscending = false } = filter
    const order = isAscending ? 'asc' : 'desc'
    const beyond = isAscending ? '>' : '<'
    let last: PostgresRow | undefined
    for (;;) {
      const rows = await this.#read((query) =>
        query(
          `${SELECT_CLAIMS} where c.claimed_at >= $1 and c.claimed_at < $2
             and ($3::text is null or s.resource = $3) and ($4::bytea is null or c.payer = $4)
             ${last === undefined ? '' : `and (c.claimed_at, c.key) ${beyond} ($5, $6)`}
           order by c.claimed_at ${order}, c.key ${order} limit ${PAGE_ROWS}`,
          [
            Math.min(since, LAST_TIME),
            Math.min(before, LAST_TIME),
            resource ?? null,
            payer === undefined ? null : Buffer.from(parseData(payer)),
            ...(last === undefined ? [] : [last.claimed_at, last.key]),
          ],
        ),
      )
      for (const row of rows) yield recordOf(row)
      last = rows.at(-1)
      if (rows.length < PAGE_ROWS) return
    }
  }

  async find(id: Hex): Promise<ClaimRecord[]> {
    const hash = Buffer.from(parseData(id))
    const rows = await this.#read(async (query) => {
      const chains = await query('select distinct chain_id from lockstep_payments.sales')
      const keys = chains.flatMap(({ chain_id }) =>
        (['transfer', 'authorization'] as const).map((kind) =>
          encodeKey({ chainId: BigInt(chain_id as string), kind, id }),
        ),
      )
      return query(
        `${SELECT_CLAIMS} where c.key = any($1) or (c.is_settled and c.tx_hash = $2)
         order by c.key = any($1), c.key`,
        [keys, hash],
      )
    })
    return rows.map(recordOf)
  }

  revenue(): Promise<ResourceRevenue[]> {
    return this.#read(async (query) => (await query(SALES)).map(saleOfRow))
  }

  unit(chainId: bigint, asset: Hex): TokenUnit | undefined {
    return this.#units.get(unitName(chainId, asset))
  }

  async refund(key: ClaimKey, txHash: Hex, raw?: Hex): Promise<ClaimRecord> {
    await this.#read(async () => {})
    return this.#store.write({ keys: [encodeKey(key)] }, (steps) =>
      steps.refund(key, txHash, Date.now(), raw),
    )
  }

  endRefund(key: ClaimKey, txHash: Hex, end: 'included' | 'failed'): Promise<ClaimRecord> {
    return this.#store.write({ keys: [encodeKey(key)] }, (steps) =>
      steps.endRefund(key, txHash, end),
    )
  }

  close(): Promise<void> {
    return this.#session.close()
  }

  #read<T>(work: (query: PostgresQuery) => Promise<T>): Promise<T> {
    return this.#session.transaction(async (query) => {
      const units = await query('select * from lockstep_payments.tokens')
      this.#units = new Map(
        units.map(({ chain_id, asset, symbol, decimals }) => [
          unitName(BigInt(chain_id as string), formatData(asset as Uint8Array)),
          { symbol: symbol as string, decimals: decimals as number },
        ]),
      )
      return work(query)
    })
  }
}

/** Opens the ledger of a database. @throws as `openPostgresClaims` */
export async function openPostgresLedger(url: string): Promise<PostgresLedger> {
  return new PostgresLedger(await openPaymentDatabase(url))
}
