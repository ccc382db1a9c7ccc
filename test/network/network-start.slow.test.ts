import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NetworkReadyFacts } from '../../host/cli/client/ready-file.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { makeHome, removeHome, runCommand } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { MAIN } from '../support/node/main-file.ts'
import { until } from '../support/until.ts'
import { freePorts } from './nodes/free-ports.ts'

interface Line {
  readonly height: number
  readonly nodes: readonly {
    readonly name: string
    readonly height?: number
    readonly peers?: number
    readonly state: string
  }[]
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Starts a long-running command. Returns it with its output so far. */
function begin(args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 0))
  })
  return { child, ended, stdout: () => stdout, stderr: () => stderr }
}

describe('network start in a folder without a network', () => {
  test('reports what is missing', async () => {
    const { code, stderr } = await runCommand(['network', 'start', '/nowhere'])
    expect(code).toBe(78)
    expect(stderr).toContain('/nowhere contains no home of a node')
    expect(stderr).toContain('lockstep network init')
  })
})

describe.skipIf(COMETBFT === undefined)(
  'network start (skipped if LOCKSTEP_COMETBFT names no cometbft)',
  () => {
    const folder = makeHome()
    const root = join(folder, 'a network')
    const ready = join(folder, 'ready.json')
    let network: ReturnType<typeof begin>
    let restarted: ReturnType<typeof begin> | undefined

    /** Returns the last complete line of the output. */
    const latest = (): Line => {
      const lines = network.stdout().split('\n').slice(0, -1)
      return JSON.parse(lines.at(-1) ?? '{"height":0,"nodes":[]}') as Line
    }
    const stateOf = (name: string) => latest().nodes.find((node) => node.name === name)
    const facts = () => JSON.parse(readFileSync(ready, 'utf8')) as NetworkReadyFacts[]

    /** @throws Error with the output of the command if it has ended */
    const untilShown = (condition: () => boolean) =>
      until(() => {
        if (network.child.exitCode !== null) throw new Error(network.stderr())
        return condition()
      })

    beforeAll(async () => {
      const base = await freePorts(100)
      const { code, stdout, stderr } = await runCommand([
        ...['network', 'init', '--validators', '4', '--full', '1', '--out', root],
        ...['--base-port', `${base}`, '--evm-port', `${base + 50}`],
        ...['--set', `consensus.cometbft=${COMETBFT}`],
      ])
      expect(code, stderr).toBe(0)
      expect(stdout).toContain(`lockstep network start '${root}'`)
      const options = ['--ready-file', ready, '--json', '--interval', '200ms']
      network = begin(['network', 'start', root, ...options, '--', '--log-level', 'warn'])
      await untilShown(() => existsSync(ready))
    })

    afterAll(async () => {
      network?.child.kill()
      restarted?.child.kill()
      await network?.ended
      await restarted?.ended
      removeHome(folder)
    })

    test('prints the addresses of each node', async () => {
      expect(facts().map(({ name, mode }) => [name, mode])).toEqual([
        ['validator-1', 'validator'],
        ['validator-2', 'validator'],
        ['validator-3', 'validator'],
        ['validator-4', 'validator'],
        ['full-1', 'full'],
      ])
      for (const { rpc, chainId } of facts()) {
        expect(chainId).toBe(31_337)
        expect(await call(rpc as string, 'eth_chainId')).toBe('0x7a69')
      }
    })

    test('shows heights and peers, and that all nodes are in step', async () => {
      await untilShown(
        () => latest().height > 2 && latest().nodes.every(({ state }) => state === 'in step'),
      )
      await untilShown(() => latest().nodes.every(({ peers }) => peers === 4))
    })

    test('shows a killed node as down, and the others continue', async () => {
      const killed = facts().find(({ name }) => name === 'validator-2')
      process.kill(killed?.pid as number, 'SIGKILL')
      await untilShown(() => stateOf('validator-2')?.state === 'ended with SIGKILL')
      const { height } = latest()
      await untilShown(() => latest().height > height + 3)
      expect(stateOf('validator-2')?.height).toBeUndefined()
      expect(network.child.exitCode).toBeNull()
    })

    test('shows a node as running again after it is restarted manually', async () => {
      restarted = begin(['start', '--home', join(root, 'validator-2')])
      await untilShown(() => {
        const { height, nodes } = latest()
        const node = nodes.find(({ name }) => name === 'validator-2')
        return node?.state === 'in step' && height - (node.height ?? 0) <= 1
      })
    })

    test('refuses to run a network twice, and names the process that uses the homes', async () => {
      const again = await runCommand(['network', 'start', root])
      expect(again.code).toBe(69)
      expect(again.stderr).toMatch(/ended with 75 before it answered/)
      expect(again.stderr).toMatch(/is in use by process \d+/)
      expect(network.child.exitCode).toBeNull()
    })

    test('stops all of its nodes after a signal and exits with 0', async () => {
      const pids = facts().map(({ pid }) => pid)
      restarted?.child.kill()
      expect(await restarted?.ended).toBe(0)
      network.child.kill('SIGINT')
      expect(await network.ended, network.stderr()).toBe(0)
      expect(pids.filter(isRunning)).toEqual([])
      expect(existsSync(ready)).toBe(false)
    })

    test('prints the reason if a node does not start, and leaves none running', async () => {
      const toml = join(root, 'full-1', 'config', 'config.toml')
      writeFileSync(toml, readFileSync(toml, 'utf8').replace('[p2p]', '[p2p]\nnoise = 1'))
      const { code, stderr } = await runCommand(['network', 'start', root])
      expect(code).toBe(78)
      expect(stderr).toContain('noise')
    })
  },
)
