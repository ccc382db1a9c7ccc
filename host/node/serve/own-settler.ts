import { resolve } from 'node:path'
import { PASSPHRASE_VARIABLE } from '../../base/config/environment.ts'
import { DEV_ACCOUNTS } from '../../base/dev-accounts.ts'
import { type AccountKey, parseSecret } from '../../evm/chain-types/account-key.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import { formatTokenAmount } from '../../payments/protocol/token-amount.ts'
import { openSettler, type Settler } from '../../payments/settle/settler.ts'
import { readSettlerKey } from '../../payments/settle/settler-key.ts'
import type { Home } from '../home/home.ts'
import { observeSettler } from './observe-payments.ts'
import type { OwnPaymentChain } from './own-payment-chain.ts'
import { refuseConfig } from './payment-terms.ts'
import type { ServerContext } from './server-context.ts'

const NATIVE_DECIMALS = 18

/** Default settler under --dev. */
const DEV_SETTLER = DEV_ACCOUNTS[8]

interface SettlerSite {
  readonly home: Home
  readonly dev: boolean
  readonly recovery: SignatureRecovery
}

/** Returns the settler's key, by default a dev account's; undefined if there is none. */
async function settlerKey(file: string, home: Home, dev: boolean): Promise<AccountKey | undefined> {
  if (file === '') return dev && DEV_SETTLER ? parseSecret(DEV_SETTLER.privateKey) : undefined
  return readSettlerKey(resolve(home.root, file), process.env[PASSPHRASE_VARIABLE])
}

/**
 * Opens settlement with this node's key; undefined if there is none.
 * @throws CONFIG_INVALID for a facilitator without a key
 */
export async function openOwnSettler(
  { config: { payments }, logger, metrics, closers }: ServerContext,
  { home, dev, recovery }: SettlerSite,
  chain: OwnPaymentChain,
  clockSkew: number,
): Promise<Settler | undefined> {
  const key = await settlerKey(payments.settlerKey, home, dev)
  if (key === undefined) {
    if (payments.facilitator) {
      refuseConfig(
        'facilitator is true, but settler-key names no key to settle with',
        'write settler-key = "FILE" with the key of an account that pays the gas, or facilitator = false',
      )
    }
    logger.info('authorizations are refused: settler-key in [payments] is not set')
    return undefined
  }
  const settler = await openSettler({
    chain,
    recovery,
    key,
    limits: {
      maxGasPrice: payments.maxSettleGasPrice,
      perMinute: payments.maxSettlesPerMinute,
      perMinuteOfPayer: payments.maxSettlesPerMinute,
    },
    clockSkew: BigInt(clockSkew),
    warnBelow: payments.settlerWarnBelow,
    onLowGas: ({ address, balance, left }) =>
      logger.warn('the settler runs out of gas: send native tokens to its account', {
        account: address,
        balance: formatTokenAmount(balance, NATIVE_DECIMALS),
        settlements: left,
      }),
  })
  closers.add(() => settler.close())
  observeSettler(settler, () => chain.balanceOf(settler.address), metrics)
  return settler
}
