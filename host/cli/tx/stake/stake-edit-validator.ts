import type { Command } from 'commander'
import { NATIVE_WEI } from '../../../evm/chain-types/generated/chain-precompile.ts'
import { parseNative } from '../../option/native-amount.ts'
import { addTxFlags, type TxFlags } from '../tx-flags.ts'
import { callStaking } from './stake-call.ts'

interface EditFlags extends TxFlags {
  readonly moniker: string
  readonly commissionRate: string
  readonly minSelfDelegation: string
}

export function defineStakeEditValidator(command: Command): void {
  command
    .argument('<from>', 'name or address of the key of the operator')
    .option('--moniker <NAME>', 'another name', '')
    .option('--commission-rate <RATE>', 'new commission rate, at most one change a day', '')
    .option('--min-self-delegation <AMOUNT>', 'higher minimum self-delegation', '0')
  addTxFlags(command).action(async (from: string, flags: EditFlags) => {
    const least = parseNative(flags.minSelfDelegation, '--min-self-delegation') / NATIVE_WEI
    const args = [flags.moniker, flags.commissionRate, least]
    await callStaking(from, 'editValidator(string,string,uint256)', args, 0n, flags)
  })
}
