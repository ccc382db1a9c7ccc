import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import { bigintToBytes } from '../base/bytes.ts'
import { LockstepError, messageOf } from '../base/error.ts'
import { formatData, formatQuantity, parseData } from '../base/hex.ts'
import { decodeAccount } from '../state/account.ts'
import type { AsyncStateView } from '../state/view.ts'
import type { WrittenKeys } from '../state/written-keys.ts'
import { type AccountChange, MOST_NONCE } from './account-change.ts'

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** The most that a file is expanded to. */
const MOST_BYTES = 1 << 30

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

/** The part of anvil's state files that a chain of other headers can take: the accounts. */
const STATE = z.object({
  accounts: z.record(z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'want an address'), ACCOUNT),
})

function undecodable(reason: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `Failed to decode state dump: ${reason}`, {
    hint: 'give what anvil_dumpState or anvil itself has written: JSON, or its gzip',
  })
}

const bytesOf = (word: string) => bigintToBytes(BigInt(word), 32)

/**
 * The accounts of a state that anvil or this node has dumped, as JSON or its gzip.
 * @throws INVALID_ARGUMENT naming the member
 */
export async function decodeState(bytes: Uint8Array): Promise<AccountChange[]> {
  let json: unknown
  try {
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    const text = isGzip ? await expand(bytes, { maxOutputLength: MOST_BYTES }) : bytes
    json = JSON.parse(new TextDecoder().decode(text))
  } catch (cause) {
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
  readonly nonce: number
  readonly balance: string
  readonly code: string
  readonly storage: Record<string, string>
}

async function dumpAccount(view: AsyncStateView, address: Uint8Array): Promise<DumpedAccount> {
  const { nonce, balance, codeHash } = decodeAccount(await view.account(address))
  return {
    nonce: Number(nonce),
    balance: formatQuantity(balance),
    code: formatData(await view.code(codeHash)),
    storage: {},
  }
}

/**
 * A state in anvil's form, as JSON. It names no block: whoever loads it goes on from the block that it is at.
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

/** The same, as gzip. */
export async function encodeState(...source: Parameters<typeof formatState>): Promise<Uint8Array> {
  return compress(await formatState(...source), { level: constants.Z_BEST_SPEED })
}
