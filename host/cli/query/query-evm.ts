import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Command } from 'commander'
import { bigintToBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData, parseData, parseQuantity } from '../../base/hex.ts'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import { formatEther } from '../option/amount.ts'
import { QueryClient } from './query-client.ts'
import { addQueryFlags, printFacts, type QueryFlags } from './query-flags.ts'

export function defineQueryAccount(command: Command): void {
  command.argument('<account>', 'address, or name of a key')
  addQueryFlags(command).action(async (word: string, flags: QueryFlags) => {
    const client = new QueryClient(flags)
    const account = await client.account(word)
    const params = [formatData(account), client.block]
    const wei = parseQuantity(await client.askHex('eth_getBalance', params))
    const nonce = parseQuantity(await client.askHex('eth_getTransactionCount', params))
    const code = parseData(await client.askHex('eth_getCode', params))
    const facts = {
      address: checksumText(account),
      balance: flags.json === undefined ? formatEther(wei) : `${wei}`,
      nonce: `${nonce}`,
      codeHash: formatData(keccak_256(code)),
      codeSize: code.length,
    }
    printFacts(facts, flags.json)
  })
}

export function defineQueryCode(command: Command): void {
  command.argument('<account>', 'address, or name of a key')
  addQueryFlags(command).action(async (word: string, flags: QueryFlags) => {
    const client = new QueryClient(flags)
    const account = await client.account(word)
    const code = await client.askHex('eth_getCode', [formatData(account), client.block])
    process.stdout.write(`${flags.json === undefined ? code : JSON.stringify({ code })}\n`)
  })
}

function parseSlot(text: string): Uint8Array {
  const isNumber = /^\d{1,77}$/.test(text)
  if (isNumber || /^0x[0-9a-fA-F]{1,64}$/.test(text)) return bigintToBytes(BigInt(text), 32)
  throw new LockstepError('INVALID_ARGUMENT', `<slot>: "${text}" is not a slot`, {
    hint: 'write it in decimal digits, or as 0x and at most 64 hex digits',
  })
}

export function defineQueryStorage(command: Command): void {
  command
    .argument('<account>', 'address, or name of a key')
    .argument('<slot>', 'slot: decimal, or 0x and hex digits')
  addQueryFlags(command).action(async (word: string, slot: string, flags: QueryFlags) => {
    const place = parseSlot(slot)
    const client = new QueryClient(flags)
    const value = formatData(await client.storage(await client.account(word), place))
    process.stdout.write(`${flags.json === undefined ? value : JSON.stringify({ value })}\n`)
  })
}

/** Defines a query by hash, printed as the JSON-RPC returns it. */
function defineByHash(command: Command, method: string, what: string): void {
  command.argument('<hash>', 'hash of the transaction')
  addQueryFlags(command, false).action(async (hash: string, flags: QueryFlags) => {
    if (!/^0x[0-9a-fA-F]{64}$/.test(hash)) {
      throw new LockstepError('INVALID_ARGUMENT', `<hash>: "${hash}" is not a hash`, {
        hint: 'write it as 0x and 64 hex digits',
      })
    }
    const found = await new QueryClient(flags).ask(method, [hash])
    if (found === null) {
      throw new LockstepError('NOT_FOUND', `the node has no ${what} ${hash}`, {
        hint: 'check the hash; a pending transaction has no receipt yet',
      })
    }
    printFacts(found as Record<string, unknown>, flags.json)
  })
}

export function defineQueryTx(command: Command): void {
  defineByHash(command, 'eth_getTransactionByHash', 'transaction')
}

export function defineQueryReceipt(command: Command): void {
  defineByHash(command, 'eth_getTransactionReceipt', 'receipt')
}
