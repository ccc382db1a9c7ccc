import type { Command } from 'commander'
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { parseAmount } from '../option/amount.ts'
import { parseBytes } from '../option/bytes-argument.ts'
import { accountNamed, submitTransaction } from './submit.ts'
import { addTxFlags, type TxFlags } from './tx-flags.ts'

interface SendFlags extends TxFlags {
  readonly data?: string
}

export function defineTxSend(command: Command): void {
  command
    .argument('<from>', 'name or address of the key that pays and signs')
    .argument('<to>', 'address, or name of a key')
    .argument('<amount>', 'such as 1ether, 0.5ether, 5gwei or 7wei')
    .option('--data <HEX>', 'data of the call')
  addTxFlags(command).action(async (from: string, to: string, amount: string, flags: SendFlags) => {
    const value = parseAmount(amount, '<amount>')
    const data = flags.data === undefined ? EMPTY_BYTES : parseBytes(flags.data, '--data')
    await submitTransaction(from, { to: await accountNamed(to, flags), value, data }, flags)
  })
}
