import type { Command } from 'commander'
import { hexDigits } from '../../../base/hex.ts'
import { readValidatorKey } from '../../../chain/consensus/validator/key-file.ts'
import { NATIVE_WEI } from '../../../evm/chain-types/generated/chain-precompile.ts'
import { parseConsensusKey } from '../../option/consensus-key.ts'
import { chooseHome } from '../../option/home-option.ts'
import { parseNative } from '../../option/native-amount.ts'
import { addTxFlags, type TxFlags } from '../tx-flags.ts'
import { callStaking } from './stake-call.ts'

interface CreateFlags extends TxFlags {
  readonly pubkey?: string
  readonly moniker: string
  readonly commissionRate: string
  readonly commissionMaxRate: string
  readonly commissionMaxChangeRate: string
  readonly minSelfDelegation: string
}

const SIGNATURE = 'createValidator(string,string,string,string,string,uint256)'

async function consensusKey({ pubkey, home }: CreateFlags): Promise<Uint8Array> {
  if (pubkey !== undefined) return parseConsensusKey(pubkey, '--pubkey')
  return (await readValidatorKey(chooseHome(home).config.validatorKey)).publicKey
}

export function defineStakeCreateValidator(command: Command): void {
  command
    .argument('<from>', 'name or address of the key that becomes the operator')
    .argument('<amount>', 'initial self-delegation, such as 100ether')
    .requiredOption('--moniker <NAME>', 'name of the validator')
    .option('--pubkey <KEY>', 'consensus key: JSON, base64 or hex (default: that of the home)')
    .option('--commission-rate <RATE>', 'share of rewards that the operator keeps', '0.1')
    .option('--commission-max-rate <RATE>', 'highest commission ever', '0.2')
    .option(
      '--commission-max-change-rate <RATE>',
      'maximum increase of the commission rate per day',
      '0.01',
    )
    .option(
      '--min-self-delegation <AMOUNT>',
      'minimum self-delegation of the operator',
      '0.000001ether',
    )
  addTxFlags(command).action(async (from: string, amount: string, flags: CreateFlags) => {
    const value = parseNative(amount, '<amount>')
    const least = parseNative(flags.minSelfDelegation, '--min-self-delegation') / NATIVE_WEI
    const { moniker, commissionRate, commissionMaxRate, commissionMaxChangeRate } = flags
    const key = hexDigits(await consensusKey(flags))
    const rates = [commissionRate, commissionMaxRate, commissionMaxChangeRate]
    await callStaking(from, SIGNATURE, [key, moniker, ...rates, least], value, flags)
  })
}
