import type { Command } from 'commander'
import { LockstepError } from '../../base/error.ts'
import {
  type ReadyFacts,
  readReadyFile,
  removeReadyFile,
  writeReadyFile,
} from '../client/ready-file.ts'
import { parseInterval } from '../option/interval.ts'
import { onStopSignal } from '../progress/stop-signals.ts'
import { showUntilAsked } from '../progress/terminal-page.ts'
import { findHomes } from './network-homes.ts'
import { renderNetworkLine, renderNetworkRecord, renderTable } from './network-table.ts'
import { lookAt, NetworkHistory } from './network-view.ts'
import { NodeProcess } from './node-process.ts'

interface StartFlags {
  readonly readyFile?: string
  readonly interval: string
  readonly json?: true
}

/** Returns the addresses of the nodes, in the order of the table. */
function addressLines(nodes: readonly NodeProcess[], facts: readonly ReadyFacts[]): string {
  const rows = nodes.map(({ node: { name } }, index) => {
    const { rpc, consensus } = facts[index] as ReadyFacts
    return `${name.padEnd(13)} EVM JSON-RPC ${rpc ?? 'off'}  consensus RPC ${consensus}\n`
  })
  return rows.join('')
}

/** Shows the nodes until it is stopped. @throws NODE_UNREACHABLE if all have ended */
async function showNodes(nodes: readonly NodeProcess[], flags: StartFlags): Promise<void> {
  const history = new NetworkHistory()
  const look = async () => {
    const states = nodes.map(({ node, end }) => lookAt(node, readReadyFile(node.home.running), end))
    return history.add(await Promise.all(states))
  }
  let state = await look()
  await showUntilAsked({
    intervalMs: parseInterval(flags.interval),
    isPage: flags.json === undefined,
    page: () => renderTable(state),
    line: () => {
      const now = new Date()
      return flags.json === true
        ? JSON.stringify(renderNetworkRecord(state, now))
        : renderNetworkLine(state, now)
    },
    refresh: async () => {
      state = await look()
      if (state.nodes.some(({ facts }) => facts !== undefined)) return
      throw new LockstepError('NODE_UNREACHABLE', 'all nodes of the network have ended', {
        hint: nodes.flatMap(({ lastLines }) => lastLines.slice(-1)).join('\n'),
      })
    },
  })
}

async function runNetwork(
  nodes: readonly NodeProcess[],
  flags: StartFlags,
  signal: AbortSignal,
): Promise<void> {
  const facts = await Promise.all(nodes.map((node) => node.untilReady(signal)))
  if (flags.json === undefined) process.stdout.write(addressLines(nodes, facts))
  if (flags.readyFile !== undefined) {
    const described = nodes.map(({ node: { name, mode } }, index) => {
      return { name, mode, ...(facts[index] as ReadyFacts) }
    })
    writeReadyFile(flags.readyFile, described)
  }
  await showNodes(nodes, flags)
}

export function defineNetworkStart(command: Command): void {
  command
    .argument('<dir>', 'folder with the homes, as `network init` writes it')
    .argument('[flags...]', 'flags of `lockstep start` for all nodes, after two dashes')
    .option(
      '--ready-file <PATH>',
      'write the addresses of all nodes into this file as JSON when all answer',
    )
    .option('--interval <DURATION>', 'time between two status checks', '1s')
    .option('--json', 'print an object per check')
    .action(async (folder: string, args: readonly string[], flags: StartFlags) => {
      parseInterval(flags.interval)
      const homes = findHomes(folder)
      if (flags.readyFile !== undefined) removeReadyFile(flags.readyFile)
      const stop = new AbortController()
      const release = onStopSignal((signal) => {
        const message = `stopped by ${signal} before all nodes answered`
        stop.abort(new LockstepError('INTERRUPTED', message))
      })
      const nodes = homes.map((home) => new NodeProcess(home, args))
      // A second Ctrl-C kills the nodes at once.
      const kill = (): void => {
        for (const node of nodes) node.kill()
      }
      process.once('exit', kill)
      try {
        await runNetwork(nodes, flags, stop.signal)
      } finally {
        if (flags.readyFile !== undefined) removeReadyFile(flags.readyFile)
        process.stderr.write(
          `Stopping ${nodes.filter(({ end }) => end === undefined).length} nodes\n`,
        )
        await Promise.all(nodes.map((node) => node.stop()))
        process.off('exit', kill)
        release()
      }
    })
}
