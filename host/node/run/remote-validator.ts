import { existsSync } from 'node:fs'
import type { Config } from '../../base/config/schema.ts'
import type { SignerAddress } from '../../base/config/signer-address.ts'
import { LockstepError } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import { cometAddress } from '../../chain/consensus/comet/validator-set.ts'
import { isValidatorOf } from '../../chain/consensus/embedded/producer.ts'
import { RemoteSigner } from '../../chain/consensus/privval/remote-signer.ts'
import { SignRecord, signRecordPath } from '../../chain/consensus/validator/sign-record.ts'
import { UNSIGNED, writeSignState } from '../../chain/consensus/validator/sign-state.ts'
import { BlockSigner } from '../../chain/consensus/validator/validator.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Disposables } from '../disposables.ts'
import type { Home } from '../home/home.ts'

export interface ValidatorOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  readonly logger: Logger
  readonly closers: Disposables
  /** Aborts a wait for a remote signer. */
  readonly signal: AbortSignal
  /** True on a development chain, which may sign a height repeatedly. */
  readonly isDriven: boolean
}

/** @throws CONFIG_INVALID */
function refuseMode({ config, isDriven, home }: ValidatorOptions): void {
  const { consensus } = home.config
  if (isDriven) {
    throw new LockstepError(
      'CONFIG_INVALID',
      'priv-validator-laddr is set, but a development chain signs with the key of its home',
      { hint: 'leave out --dev, or set priv-validator-laddr = ""' },
    )
  }
  if (config.mode === 'validator') return
  throw new LockstepError(
    'CONFIG_INVALID',
    `priv-validator-laddr is set in ${consensus}, but mode is "${config.mode}"`,
    { hint: 'write mode = "validator" above its sections, or set priv-validator-laddr = ""' },
  )
}

/** Returns the public key of the chain's validator. @throws GENESIS_INVALID, UNSUPPORTED */
function validatorKeyOf({ genesis }: ValidatorOptions): Uint8Array {
  const publicKey = genesis.validators[0]?.publicKey ?? new Uint8Array()
  isValidatorOf(genesis, { publicKey })
  return publicKey
}

/**
 * Returns a validator whose key a remote signer has; undefined with CometBFT, which listens for the signer itself. The
 * node keeps its own record of what was signed, beside that of the signer.
 * @throws CONFIG_INVALID, PORT_IN_USE, DOUBLE_SIGN
 */
export async function loadRemoteSigner(
  options: ValidatorOptions,
  address: SignerAddress,
): Promise<BlockSigner | undefined> {
  const { home, config, genesis, logger, closers, signal } = options
  refuseMode(options)
  if (config.consensus.engine === 'cometbft') return undefined
  const publicKey = validatorKeyOf(options)
  const keyAddress = cometAddress(publicKey)
  const { validatorKey } = home.config
  const { validatorState } = home.data
  if (!existsSync(validatorState) && !existsSync(signRecordPath(validatorKey, keyAddress))) {
    await writeSignState(validatorState, UNSIGNED)
  }
  const record = await SignRecord.open(validatorKey, keyAddress, validatorState)
  const chainId = genesis.consensusChainId
  const remote = await RemoteSigner.listen({ address, chainId, publicKey, logger })
  closers.add(() => remote.close())
  const interrupt = (): void => remote.interrupt()
  signal.addEventListener('abort', interrupt, { once: true })
  closers.add(() => signal.removeEventListener('abort', interrupt))
  return new BlockSigner(remote, record)
}
