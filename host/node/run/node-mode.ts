import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { cometAddress } from '../../chain/consensus/comet/validator-set.ts'
import { isValidatorOf } from '../../chain/consensus/embedded/producer.ts'
import {
  readValidatorKey,
  readValidatorPublicKey,
} from '../../chain/consensus/validator/key-file.ts'
import { lockKey } from '../../chain/consensus/validator/key-lock.ts'
import {
  type BlockSigner,
  loadUnboundValidator,
  loadValidator,
} from '../../chain/consensus/validator/validator.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { Disposables } from '../disposables.ts'
import type { Home } from '../home/home.ts'
import type { ValidatorOptions } from './remote-validator.ts'

/** Opens the node's validator, and locks its key against other processes. */
async function lockedValidator(
  { root, config, data }: Home,
  { params }: Genesis,
  dev: boolean,
  closers: Disposables,
): Promise<BlockSigner> {
  const { publicKey } = await readValidatorKey(config.validatorKey)
  const lock = await lockKey(config.validatorKey, cometAddress(publicKey), root)
  closers.add(() => lock.release())
  if (dev && params.isDevelopment === true) return loadUnboundValidator(config.validatorKey)
  return loadValidator(config.validatorKey, data.validatorState)
}

/** Returns whether the genesis names a key as a validator. */
function isNamed({ validators }: Genesis, key: Uint8Array): boolean {
  return validators.some(({ publicKey }) => equalBytes(publicKey, key))
}

/**
 * Returns the signer of a node in mode validator; undefined if it follows others, or CometBFT has the remote signer. A full node does not open the key.
 * Under CometBFT any key may be a validator's, since it can join by staking.
 * @throws VALIDATOR_KEY if a validator lacks its key, CONFIG_INVALID if no mode is set but the home has a validator's
 * key: a copied home must not start to sign, and the validator itself must not stop.
 */
export async function loadSigner(options: ValidatorOptions): Promise<BlockSigner | undefined> {
  const { home, config, genesis, closers, isDriven } = options
  const { validatorKey, consensus } = home.config
  const [address] = config.privValidatorLaddr
  if (address !== undefined) {
    const { loadRemoteSigner } = await import('./remote-validator.ts')
    return loadRemoteSigner(options, address)
  }
  switch (config.mode) {
    case 'full':
      return undefined
    case '': {
      const publicKey = await readValidatorPublicKey(validatorKey)
      if (publicKey === undefined || !isNamed(genesis, publicKey)) return undefined
      throw new LockstepError(
        'CONFIG_INVALID',
        `${consensus} sets no mode, and ${validatorKey} is the key of a validator of genesis.json`,
        {
          hint:
            'write mode = "validator" above its sections if no other node signs with this key, ' +
            'else mode = "full"',
        },
      )
    }
    case 'validator': {
      const validator = await lockedValidator(home, genesis, isDriven, closers)
      if (config.consensus.engine === 'cometbft') return validator
      if (isValidatorOf(genesis, validator)) return validator
      throw new LockstepError(
        'VALIDATOR_KEY',
        `mode is validator, but ${validatorKey} is not the key of the validator of genesis.json`,
        { hint: `use the key that genesis.json names, or write mode = "full" in ${consensus}` },
      )
    }
  }
}
