import { type Command, Option } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { timeoutSignal } from '../../base/timer.ts'
import { nodeUnreachable, parseUrl, requestText } from '../client/node-client.ts'
import { chooseHome, homeOption } from '../option/home-option.ts'
import { nodeAddressesOf } from '../status/consensus-client.ts'

const TIMEOUT_MS = 30_000

interface ConsensusFlags {
  readonly home?: string
  readonly node?: string
  readonly type?: 'height' | 'hash'
}

/** Returns the URL of the consensus RPC: that of the flag, else of the home's node. @throws UNSUPPORTED */
function consensusUrl({ home, node }: ConsensusFlags): string {
  if (node !== undefined) return parseUrl(node.replace(/^tcp:/, 'http:'), '--node')
  return nodeAddressesOf(chooseHome(home)).consensus
}

/**
 * Prints the result of a route of the consensus RPC, as the SDK prints it.
 * @throws NODE_UNREACHABLE; NOT_FOUND with the node's message if it answers with an error
 */
async function printRoute(flags: ConsensusFlags, path: string): Promise<void> {
  const base = consensusUrl(flags)
  const unreachable = nodeUnreachable(base, '--node')
  const init = { signal: timeoutSignal(TIMEOUT_MS) }
  const text = await requestText(`${base}/${path}`, init, unreachable)
  let response: { result?: unknown; error?: { message?: unknown; data?: unknown } }
  try {
    response = JSON.parse(text)
  } catch {
    throw unreachable(`/${path} is not the consensus RPC's answer`)
  }
  const { result, error } = response
  if (error !== undefined) {
    throw new LockstepError('NOT_FOUND', `/${path}: ${error.data ?? error.message}`, {
      hint: 'check the argument, and that the node keeps the block',
    })
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

function addConsensusFlags(command: Command): Command {
  return command
    .addOption(new Option('--node <URL>', 'consensus RPC of the node (default: that of the home)'))
    .addOption(homeOption())
}

/** Returns a hash as the RPC reads it in a URL. @throws INVALID_ARGUMENT */
function hashArgument(text: string): string {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return `0x${text.replace(/^0x/, '')}`
  throw new LockstepError('INVALID_ARGUMENT', `<hash>: "${text}" is not a hash`, {
    hint: 'write 64 hex digits, with or without 0x',
  })
}

/** Returns the route of a block by its height or hash. @throws INVALID_ARGUMENT */
function blockPath(id: string | undefined, type: ConsensusFlags['type']): string {
  if (id === undefined) return 'block'
  const isHash = type === 'hash' || (type === undefined && id.length >= 64)
  if (isHash) return `block_by_hash?hash=${hashArgument(id)}`
  if (/^[1-9]\d{0,15}$/.test(id)) return `block?height=${id}`
  throw new LockstepError('INVALID_ARGUMENT', `<id>: "${id}" is not the height of a block`, {
    hint: 'write a height above 0, or a hash of 64 hex digits',
  })
}

export function defineQueryBlock(command: Command): void {
  command.argument('[id]', 'height or hash of the block (default: the latest)')
  addConsensusFlags(command)
    .addOption(
      new Option('--type <type>', 'what <id> is (default: by its length)').choices([
        'height',
        'hash',
      ]),
    )
    .action((id: string | undefined, flags: ConsensusFlags) =>
      printRoute(flags, blockPath(id, flags.type)),
    )
}

export function defineQueryConsensusTx(command: Command): void {
  command.argument('<hash>', 'hash of the transaction: its SHA-256, or its EVM hash')
  addConsensusFlags(command)
    .addOption(new Option('--type <type>', 'what the argument is').choices(['hash']))
    .action((hash: string, flags: ConsensusFlags) =>
      printRoute(flags, `tx?hash=${hashArgument(hash)}`),
    )
}
