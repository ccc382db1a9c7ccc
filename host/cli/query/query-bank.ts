import type { Command } from 'commander'
import { bigintToBytes, bytesToBigint, EMPTY_BYTES } from '../../base/bytes.ts'
import { formatData, parseQuantity } from '../../base/hex.ts'
import { goText } from '../../base/utf8.ts'
import { abiBytesAt } from '../../evm/chain-types/abi.ts'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import { NATIVE_DENOMINATION } from '../../evm/chain-types/generated/chain-precompile.ts'
import { formatEther } from '../option/amount.ts'
import { QueryClient } from './query-client.ts'
import { addQueryFlags, printFacts, type QueryFlags } from './query-flags.ts'

/** The bank precompile. */
const BANK = bigintToBytes(0x1001n, 20)

const integerOf = (output: Uint8Array) => bytesToBigint(output.subarray(0, 32))
const textOf = (output: Uint8Array) => goText(abiBytesAt(output, 32) ?? EMPTY_BYTES)

interface BalanceFlags extends QueryFlags {
  readonly denom?: string
}

export function defineQueryBalance(command: Command): void {
  command
    .argument('<account>', 'address, or name of a key')
    .option('--denom <DENOM>', 'a denomination (default: wei of the account)')
  addQueryFlags(command).action(async (word: string, flags: BalanceFlags) => {
    const client = new QueryClient(flags)
    const account = await client.account(word)
    const address = checksumText(account)
    if (flags.denom !== undefined) {
      const output = await client.call(BANK, 'balance(address,string)', [account, flags.denom])
      printFacts({ address, denom: flags.denom, amount: `${integerOf(output)}` }, flags.json)
      return
    }
    const params = [formatData(account), client.block]
    const wei = parseQuantity(await client.askHex('eth_getBalance', params))
    const amount = flags.json === undefined ? { balance: formatEther(wei) } : { wei: `${wei}` }
    printFacts({ address, ...amount }, flags.json)
  })
}

export function defineQuerySupply(command: Command): void {
  command.argument('[denom]', 'denomination', NATIVE_DENOMINATION)
  addQueryFlags(command).action(async (denom: string, flags: QueryFlags) => {
    const output = await new QueryClient(flags).call(BANK, 'supply(string)', [denom])
    printFacts({ denom, amount: `${integerOf(output)}` }, flags.json)
  })
}

export function defineQueryDenom(command: Command): void {
  command.argument('[denom]', 'denomination', NATIVE_DENOMINATION)
  addQueryFlags(command).action(async (denom: string, flags: QueryFlags) => {
    const client = new QueryClient(flags)
    const ask = (name: string) => client.call(BANK, `${name}(string)`, [denom])
    const name = textOf(await ask('name'))
    const symbol = textOf(await ask('symbol'))
    const decimals = Number(integerOf(await ask('decimals')))
    printFacts({ denom, name, symbol, decimals }, flags.json)
  })
}
