import { type Command, Option } from 'commander'
import { parseSignerAddress } from '../base/config/signer-address.ts'
import { LockstepError } from '../base/error.ts'
import { createLogger } from '../base/log/pino-logger.ts'
import { cometAddress } from '../chain/consensus/comet/validator-set.ts'
import { serveNode } from '../chain/consensus/privval/serve-node.ts'
import { readValidatorKey } from '../chain/consensus/validator/key-file.ts'
import { lockKey } from '../chain/consensus/validator/key-lock.ts'
import { SignRecord } from '../chain/consensus/validator/sign-record.ts'
import { untilStopSignal } from './progress/stop-signals.ts'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const

interface SignerFlags {
  readonly key: string
  readonly state: string
  readonly chainId: string
  readonly connect: string
  readonly logLevel: (typeof LEVELS)[number]
}

async function runSigner({ key: path, state, chainId, connect, logLevel }: SignerFlags) {
  const address = parseSignerAddress(connect)
  if (address === undefined) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `--connect: "${connect}" is not an address such as tcp://127.0.0.1:26659 or unix:///run/signer.sock`,
      { hint: 'write the priv-validator-laddr of the node' },
    )
  }
  const key = await readValidatorKey(path)
  const lock = await lockKey(path, cometAddress(key.publicKey), `lockstep signer of ${path}`)
  const ending = new AbortController()
  try {
    const record = await SignRecord.open(path, cometAddress(key.publicKey), state)
    const logger = createLogger({
      level: logLevel,
      format: 'plain',
      write: (line) => process.stderr.write(line),
    })
    const { height, round } = record.state
    logger.info('the signer begins', { chainId, lastHeight: height, lastRound: round })
    const served = serveNode({ key, record, chainId, address, logger, signal: ending.signal })
    await Promise.race([untilStopSignal(), served])
    ending.abort()
    await served
  } finally {
    ending.abort()
    await lock.release()
  }
}

export function defineSigner(command: Command): void {
  command
    .requiredOption('--key <file>', "key of the validator: a node's config/priv_validator_key.json")
    .requiredOption(
      '--state <file>',
      "record of the last signature: at first the node's data/priv_validator_state.json, then kept by the signer",
    )
    .requiredOption('--chain-id <id>', 'chain_id of genesis.json; other chains are refused')
    .requiredOption('--connect <address>', 'priv-validator-laddr of the node')
    .addOption(
      new Option('--log-level <level>', 'lowest level of log lines')
        .choices(LEVELS)
        .default('info'),
    )
    .action(runSigner)
}
