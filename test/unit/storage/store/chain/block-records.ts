import { createHash } from 'node:crypto'
import type { BlockHeader } from '../../../../../host/evm/chain-types/block.ts'
import type { Receipt } from '../../../../../host/evm/chain-types/receipt.ts'
import { ACCOUNT_ROW, STORAGE_ROW } from '../../../../../host/evm/engine/state-diff.ts'
import type { Changeset, KeyWrite } from '../../../../../host/evm/state/changeset.ts'
import type { BlockRecord } from '../../../../../host/storage/store/codec/block-record.ts'

/** State changes of a test block, in plain values. */
export interface BlockChanges {
  /** Account number and record (72 bytes); undefined deletes. */
  readonly accounts?: readonly (readonly [number, Uint8Array | undefined])[]
  readonly cleared?: readonly number[]
  /** Account number, slot number, value; 0 deletes. */
  readonly storage?: readonly (readonly [number, number, number])[]
  readonly codes?: readonly Uint8Array[]
  readonly legacy?: readonly KeyWrite[]
  readonly modules?: readonly { readonly module: string; readonly writes: readonly KeyWrite[] }[]
}

export function digest(...parts: readonly (string | Uint8Array | number)[]): Uint8Array {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(typeof part === 'number' ? String(part) : part)
  return new Uint8Array(hash.digest())
}

export function address(n: number): Uint8Array {
  return digest('address', n).slice(0, 20)
}

export function slot(n: number): Uint8Array {
  const bytes = new Uint8Array(32)
  bytes[31] = n
  return bytes
}

export function word(value: number): Uint8Array {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(28, value)
  return bytes
}

/** Returns the key of a code. The stores accept any 32 bytes in place of the Keccak-256 hash. */
export function codeHashOf(code: Uint8Array): Uint8Array {
  return digest('code', code)
}

/** Returns an account record with a nonce, a small balance, and a code hash (by default the hash of empty code). */
export function account(nonce: number, balance: number, codeHash?: Uint8Array): Uint8Array {
  const record = new Uint8Array(72)
  const view = new DataView(record.buffer)
  view.setUint32(4, nonce)
  view.setUint32(36, balance)
  const empty = 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
  record.set(codeHash ?? Buffer.from(empty, 'hex'), 40)
  return record
}

export function changeset(height: number, changes: BlockChanges = {}): Changeset {
  const accounts = changes.accounts ?? []
  const storage = changes.storage ?? []
  const cleared = changes.cleared ?? []
  const accountRows = new Uint8Array(accounts.length * ACCOUNT_ROW)
  accounts.forEach(([n, record], i) => {
    accountRows.set(address(n), i * ACCOUNT_ROW)
    if (record !== undefined) accountRows.set(record, i * ACCOUNT_ROW + 20)
  })
  const storageRows = new Uint8Array(storage.length * STORAGE_ROW)
  storage.forEach(([n, s, value], i) => {
    storageRows.set(address(n), i * STORAGE_ROW)
    storageRows.set(slot(s), i * STORAGE_ROW + 20)
    storageRows.set(word(value), i * STORAGE_ROW + 52)
  })
  const clearedRows = new Uint8Array(cleared.length * 20)
  cleared.forEach((n, i) => void clearedRows.set(address(n), i * 20))
  return {
    height,
    evm: {
      accounts: accountRows,
      cleared: clearedRows,
      storage: storageRows,
      codes: (changes.codes ?? []).map((code) => ({ codeHash: codeHashOf(code), code })),
    },
    legacy: changes.legacy ?? [],
    modules: changes.modules ?? [],
  }
}

export function header(height: number): BlockHeader {
  const logsBloom = new Uint8Array(256)
  if (height % 2 === 1) logsBloom[height % 256] = 0x80
  return {
    number: height,
    hash: digest('block', height),
    parentHash: height === 0 ? new Uint8Array(0) : digest('block', height - 1),
    stateRoot: digest('state', height),
    transactionsRoot: digest('transactions', height),
    receiptsRoot: digest('receipts', height),
    logsBloom,
    miner: address(999),
    prevRandao: digest('randao', height),
    timestamp: 1_700_000_000 + height,
    gasLimit: 100_000_000n,
    gasUsed: 21_000n * BigInt(height),
    baseFeePerGas: 10n ** 9n + BigInt(height),
    size: 100,
  }
}

export function transactionHash(height: number, index: number): Uint8Array {
  return digest('transaction', height, '/', index)
}

function receipt(height: number, index: number): Receipt {
  return {
    type: ([0, 1, 2, 4] as const)[index % 4] ?? 0,
    transactionHash: transactionHash(height, index),
    from: address(height),
    to: index % 3 === 0 ? undefined : address(index),
    contractAddress: index % 3 === 0 ? address(1000 + index) : undefined,
    status: index % 5 === 4 ? 0 : 1,
    gasUsed: 21_000n,
    cumulativeGasUsed: 21_000n * BigInt(index + 1),
    effectiveGasPrice: 2n ** 70n + BigInt(index),
    logs:
      index % 2 === 0
        ? []
        : [{ address: address(7), topics: [slot(1), slot(2)], data: digest('log', index) }],
    logsBloom: header(height).logsBloom,
  }
}

/** Returns a complete record of a height with `transactions` transactions. */
export function blockRecord(
  height: number,
  changes: BlockChanges = {},
  transactions = height % 7,
): BlockRecord {
  const indexes = Array.from({ length: transactions }, (_, index) => index)
  return {
    executed: {
      block: {
        header: header(height),
        transactions: indexes.map((index) => digest('raw', height, '/', index)),
      },
      transactionHashes: indexes.map((index) => transactionHash(height, index)),
      receipts: indexes.map((index) => receipt(height, index)),
    },
    changeset: changeset(height, changes),
  }
}
