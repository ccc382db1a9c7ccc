import { promisify } from 'node:util'
import { constants, gunzipSync, gzip } from 'node:zlib'
import { z } from 'zod'
import { bigintToBytes } from '../../base/bytes.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { formatData, formatQuantity, parseData } from '../../base/hex.ts'
import { unwritable } from '../../base/writable.ts'
import { decodeAccount } from '../../evm/state/account.ts'
import type { AsyncStateView } from '../../evm/state/view.ts'
import type { WrittenKeys } from '../../evm/state/written-keys.ts'
import { type DevAccountChange, MOST_NONCE } from './account-change.ts'

const compress = promisify(gzip)

/** Limit of decompressed JSON in bytes for a file from a client, far above the dump of a test. */
export const MOST_SENT_BYTES: number = 32 << 20

/** Limit of decompressed JSON in bytes for a file from the operator. */
export const MOST_FILE_BYTES: number = 1 << 30

/** Length of the gzip trailer with the content size modulo 2^32. */
const SIZE_BYTES = 4

const WORD = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/, 'want at most 32 bytes of hex')

const NONCE = z
  .union([z.number().int().min(0), WORD])
  .transform((nonce) => BigInt(nonce))
  .refine((nonce) => nonce <= MOST_NONCE, `want at most ${MOST_NONCE}`)

const ACCOUNT = z.object({
  nonce: NONCE,
  balance: WORD.transform((balance) => BigInt(balance)),
  code: z.string().regex(/^0x([0-9a-fA-F]{2})*$/, 'want bytes as hex'),
  storage: z.record(WORD, WORD).default({}),
})

/** Schema of anvil's state files, reduced to the accounts: headers differ between chains. */
const STATE = z.object({
  accounts: z.record(z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'want an address'), ACCOUNT),
})

function undecodable(reason: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `Failed to decode state dump: ${reason}`, {
    hint: 'pass the output of anvil_dumpState or a state file of anvil: JSON, or its gzip',
  })
}

const bytesOf = (word: string) => bigintToBytes(BigInt(word), 32)

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b

/**
 * Returns the size of the JSON in a file, as its gzip trailer states it. `decodeState` enforces it.
 * @throws INVALID_ARGUMENT if it exceeds `most`
 */
export function statedBytes(file: Uint8Array, most: number): number {
  if (!isGzip(file)) return file.length
  const { buffer, byteOffset, length } = file
  const isCut = length < SIZE_BYTES
  const stated = isCut ? 0 : new DataView(buffer, byteOffset).getUint32(length - SIZE_BYTES, true)
  if (stated <= most) return stated
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `Failed to decode state dump: it expands to ${stated} bytes, but at most ${most} are accepted from a client`,
    { hint: 'start the node with the file as --dev.state' },
  )
}

/**
 * Decodes the accounts of a state dump of anvil or this node, as JSON or its gzip.
 * @throws INVALID_ARGUMENT with the invalid member
 */
export function decodeState(bytes: Uint8Array, most: number = MOST_FILE_BYTES): DevAccountChange[] {
  let json: unknown
  try {
    const maxOutputLength = Math.max(statedBytes(bytes, most), 1)
    const text = isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength }) : bytes
    json = JSON.parse(new TextDecoder().decode(text))
  } catch (cause) {
    if (cause instanceof LockstepError) throw cause
    throw undecodable(messageOf(cause))
  }
  const read = STATE.safeParse(json)
  if (!read.success) {
    const [issue] = read.error.issues
    throw undecodable(`${issue?.path.join('.')}: ${issue?.message}`)
  }
  return Object.entries(read.data.accounts).map(([address, { nonce, balance, code, storage }]) => ({
    address: parseData(address),
    nonce,
    balance,
    code: parseData(code),
    storage: Object.entries(storage).map(([slot, value]) => ({
      slot: bytesOf(slot),
      value: bytesOf(value),
    })),
  }))
}

interface DumpedAccount {
  readonly nonce: number | string
  readonly balance: string
  readonly code: string
  readonly storage: Record<string, string>
}

async function dumpAccount(view: AsyncStateView, address: Uint8Array): Promise<DumpedAccount> {
  const { nonce, balance, codeHash } = decodeAccount(await view.account(address))
  if (nonce > MOST_NONCE) throw unwritable(`a nonce of ${nonce}`, `want at most ${MOST_NONCE}`)
  return {
    // A number like anvil's, while it is a safe integer.
    nonce: nonce <= Number.MAX_SAFE_INTEGER ? Number(nonce) : formatQuantity(nonce),
    balance: formatQuantity(balance),
    code: formatData(await view.code(codeHash)),
    storage: {},
  }
}

/**
 * Returns a state in anvil's JSON format. It contains no block: a chain that loads it continues from its own block.
 * @param turn lets other work run between accounts
 */
export async function formatState(
  view: AsyncStateView,
  written: WrittenKeys,
  turn: () => Promise<void> | undefined,
): Promise<string> {
  const accounts: Record<string, DumpedAccount> = {}
  const take = async (address: Uint8Array): Promise<DumpedAccount> => {
    const name = formatData(address)
    const account = accounts[name] ?? (await dumpAccount(view, address))
    accounts[name] = account
    return account
  }
  for (const address of written.accounts()) {
    if ((await view.account(address)) !== undefined) await take(address)
    const next = turn()
    if (next !== undefined) await next
  }
  for (const key of written.slots()) {
    const [address, slot] = [key.subarray(0, 20), key.subarray(20)]
    const value = await view.storage(address, slot)
    if (value !== undefined) (await take(address)).storage[formatData(slot)] = formatData(value)
    const next = turn()
    if (next !== undefined) await next
  }
  const state = {
    block: null,
    accounts,
    best_block_number: null,
    blocks: [],
    transactions: [],
    historical_states: null,
  }
  return JSON.stringify(state)
}

/** Returns the result of `formatState` as gzip. */
export async function encodeState(...source: Parameters<typeof formatState>): Promise<Uint8Array> {
  return compress(await formatState(...source), { level: constants.Z_BEST_SPEED })
}
