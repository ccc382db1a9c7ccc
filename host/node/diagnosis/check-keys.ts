import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { FAILURES } from '../../base/failure-table.ts'
import { cometAddress } from '../../chain/consensus/comet/validator-set.ts'
import { readNodeKey, readValidatorKey } from '../../chain/consensus/validator/key-file.ts'
import { SignRecord } from '../../chain/consensus/validator/sign-record.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import { thrownFinding } from './check-home.ts'
import { type Finding, fault, warning } from './finding.ts'
import type { HomeFacts } from './home-facts.ts'

/** Returns a finding for a key error, unless the files check already reports its permissions. */
function keyFinding(thrown: unknown): Finding[] {
  const isMode = thrown instanceof LockstepError && / are too open$/.test(thrown.message)
  return isMode ? [] : [thrownFinding('keys', thrown)]
}

/** Checks the keys of a home against its genesis, its mode and the signing state. */
export async function diagnoseKeys(facts: HomeFacts): Promise<readonly Finding[]> {
  const { home, inspected, genesis, isImported, isUnderComet, newest } = facts
  const { validatorKey, nodeKey } = home.config
  const findings: Finding[] = []
  if (isImported || !isAbsolute(validatorKey)) return findings
  const { mode, privValidatorLaddr } = inspected.config
  const isMissing = !existsSync(validatorKey)
  if (mode === 'validator' && isMissing && privValidatorLaddr.length === 0) {
    const { text, remedy } = FAILURES.VALIDATOR_FILE
    findings.push(fault('keys', `${text}: ${validatorKey}`, remedy))
  }
  if (!isMissing) {
    try {
      const key = await readValidatorKey(validatorKey)
      const signs = isNamed(genesis, key.publicKey)
      // Under CometBFT, a key outside the genesis may have joined by staking.
      if (mode === 'validator' && genesis !== undefined && !signs && !isUnderComet) {
        findings.push(
          fault(
            'keys',
            `mode is validator, but ${validatorKey} is not the key of the validator of genesis.json`,
            `use the key that genesis.json names, or write mode = "full" in ${home.config.consensus}`,
          ),
        )
      }
      if (mode === '' && signs) {
        findings.push(
          fault(
            'keys',
            `${home.config.consensus} sets no mode, and the home has the key of the validator of genesis.json`,
            'write mode = "validator" above its sections if no other node signs with this key, ' +
              'else mode = "full"',
          ),
        )
      }
      if (mode !== 'full' && (signs || isUnderComet))
        await checkSigned(facts, cometAddress(key.publicKey), findings)
    } catch (thrown) {
      findings.push(...keyFinding(thrown))
    }
  }
  if (existsSync(nodeKey))
    await readNodeKey(nodeKey).catch((thrown) => findings.push(...keyFinding(thrown)))
  else if (newest !== undefined || genesis !== undefined) {
    findings.push(
      warning(
        'keys',
        `Node key file not found: ${nodeKey}`,
        'run `lockstep init --chain-id <id>` again: it creates only missing files',
      ),
    )
  }
  return findings
}

/** Returns whether the genesis names a key as a validator. */
function isNamed(genesis: Genesis | undefined, key: Uint8Array): boolean {
  return genesis?.validators.some(({ publicKey }) => equalBytes(publicKey, key)) ?? false
}

/** Compares the signed height with the latest block, or with the state if only CometBFT has the blocks. */
async function checkSigned(
  { home, genesis, newest, knowsNewest, committed, isUnderComet, process }: HomeFacts,
  address: Uint8Array,
  findings: Finding[],
): Promise<void> {
  const { validatorState } = home.data
  let signed: number
  try {
    signed = (await SignRecord.open(home.config.validatorKey, address, validatorState)).state.height
  } catch (thrown) {
    const isDouble = thrown instanceof LockstepError && thrown.code === 'DOUBLE_SIGN'
    findings.push(thrownFinding(isDouble ? 'signing' : 'keys', thrown))
    return
  }
  const height = (isUnderComet ? committed : newest?.height) ?? 0
  // A running node may decide a block between the two reads.
  if (process !== undefined || !(knowsNewest || isUnderComet)) return
  // Under --dev no signed height is final, because blocks are removed and made again.
  if (signed === 0 && genesis?.params.isDevelopment === true) return
  if (signed < height) {
    findings.push(
      fault(
        'signing',
        `${validatorState} ends at height ${signed}, but block ${height} is decided: it was restored from an ` +
          'older backup, and the validator could sign a height twice',
        'restore the latest data/priv_validator_state.json',
      ),
    )
  } else if (signed > height + 1 && !isUnderComet) {
    findings.push(
      fault(
        'signing',
        `the validator has signed up to height ${signed}, but the latest block is ${height}: the signed blocks ` +
          'are missing',
        `bring the blocks up to ${signed} from a backup or a snapshot; the validator signs none of them again`,
      ),
    )
  }
}
