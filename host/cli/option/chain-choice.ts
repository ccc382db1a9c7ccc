import { LockstepError } from '../../base/error.ts'
import { PRESETS, type PresetName } from '../../evm/chain-types/genesis-presets.ts'

/** The value of `--chain-id`: a preset, and the EVM chain id. */
export interface ChainChoice {
  readonly preset: PresetName
  readonly chainId: bigint
}

const MAX_CHAIN_ID = 2n ** 64n - 1n

function isPreset(name: string): name is PresetName {
  return Object.hasOwn(PRESETS, name)
}

/**
 * Parses `--chain-id`: the name of a preset, or any EVM chain id, which gets the parameters of `otherwise`.
 * @throws INVALID_ARGUMENT
 */
export function parseChainChoice(text: string, otherwise: PresetName): ChainChoice {
  if (isPreset(text)) {
    const preset = otherwise === 'dev' ? otherwise : text
    return { preset, chainId: PRESETS[text].chainId }
  }
  const chainId = /^[1-9]\d{0,19}$/.test(text) ? BigInt(text) : 0n
  if (chainId > 0n && chainId <= MAX_CHAIN_ID) return { preset: otherwise, chainId }
  throw new LockstepError('INVALID_ARGUMENT', `chain id "${text}" is invalid`, {
    hint: `write one of ${Object.keys(PRESETS).join(', ')}, or a decimal EVM chain id`,
  })
}
