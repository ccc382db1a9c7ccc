import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { COMETBFT, WITHOUT_COMETBFT } from '../support/node/cometbft.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { reachHeight } from '../support/node/progress.ts'

// Nodes start one after the other on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

const ENGINE = ['--consensus.engine', 'cometbft', '--p2p.laddr', 'tcp://127.0.0.1:0']

let folder: string
let running: Daemon | undefined

beforeEach(() => {
  folder = makeHome()
})

afterEach(async () => {
  const { process: child } = running ?? {}
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    await running?.stop('SIGKILL')
  }
  running = undefined
  removeHome(folder)
})

function start(home: string, ...args: readonly string[]) {
  return runCommand([
    ...['start', '--dev', '--home', home, '--evm.http-port', '0', '--rpc.laddr', '127.0.0.1:0'],
    ...args,
  ])
}

test('a start without CometBFT, or with another release of it, prints the command that installs it', async () => {
  const home = join(folder, 'without')
  const absent = await start(home, ...ENGINE, '--consensus.cometbft', '/absent/cometbft')
  expect(absent).toMatchObject({
    code: 69,
    stderr: expect.stringContaining(
      'Error: there is no CometBFT at /absent/cometbft\n' +
        'Hint: install it with `go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.19`, and name it in ' +
        '`cometbft` of [consensus] if it is not on the PATH\n',
    ),
  })
  const other = join(folder, 'cometbft')
  writeFileSync(other, '#!/bin/sh\necho 1.0.1\n', { mode: 0o755 })
  expect(await start(home, ...ENGINE, '--consensus.cometbft', other)).toMatchObject({
    code: 69,
    stderr: expect.stringContaining(
      `Error: ${other} is CometBFT 1.0.1, but this node requires 0.38\n`,
    ),
  })
})

describe.skipIf(COMETBFT === undefined)(`a start with CometBFT${WITHOUT_COMETBFT}`, () => {
  const args = [...ENGINE, '--consensus.cometbft', COMETBFT ?? '', '--consensus.block-time', '50ms']

  async function run(home: string, ...more: readonly string[]): Promise<Daemon> {
    mkdirSync(home, { recursive: true })
    running = await startDaemon({ home, arguments: more })
    return running
  }

  test('requires the consensus engine and the genesis of the blocks in its home', async () => {
    const home = join(folder, 'a home of a name that is too long for a socket '.repeat(2).trim())
    const comet = await run(home, ...args)
    await reachHeight(comet.ready.rpc, 2)
    expect(await comet.stop()).toBe(0)
    expect(await start(home, '--consensus.engine', 'embedded')).toMatchObject({
      code: 78,
      stderr: expect.stringContaining(
        `Error: engine is "embedded", but the blocks of this chain are CometBFT's: ${home}/data/cometbft/`,
      ),
    })
    const genesisPath = join(home, 'config/genesis.json')
    const genesis = readFileSync(genesisPath, 'utf8')
    writeFileSync(genesisPath, genesis.replace('"max_gas": "', '"max_gas": "1'))
    expect(await start(home, ...args)).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(
        /Error: .*genesis\.json is not the genesis of the chain in .*\/data\/cometbft: .*max_gas/,
      ),
    })
    writeFileSync(genesisPath, genesis)
    const again = await run(home, ...args)
    await reachHeight(again.ready.rpc, 4)
    expect(await again.stop()).toBe(0)
  })

  test('refuses a home of the embedded engine and leaves it unchanged', async () => {
    const home = join(folder, 'embedded')
    const embedded = await run(home, '--consensus.block-time', '10ms')
    await reachHeight(embedded.ready.rpc, 2)
    expect(await embedded.stop()).toBe(0)
    const refused = await start(home, ...args)
    expect(refused.code).toBe(78)
    expect(refused.stderr).toMatch(
      /Error: engine is "cometbft", but the \d+ blocks of .* are from the embedded engine\n/,
    )
    const again = await run(home, '--consensus.block-time', '10ms')
    await reachHeight(again.ready.rpc, 4)
    expect(await again.stop()).toBe(0)
  })

  test('is refused if recent blocks have its signature and double-sign-check-height is set', async () => {
    const home = join(folder, 'signed')
    const first = await run(home, ...args)
    await reachHeight(first.ready.rpc, 3)
    expect(await first.stop()).toBe(0)
    const refused = await start(home, ...args, '--consensus.double-sign-check-height', '10')
    expect(refused.code).toBe(70)
    expect(refused.stderr).toMatch(
      /Error: Duplicate signature: CometBFT ended with 1: .*found signature from the same key\n/,
    )
  })

  test('prints the reason if CometBFT exits at once', async () => {
    const home = join(folder, 'ends')
    const refused = await start(home, ...args, '--p2p.external-address', 'nonsense')
    expect(refused.code).toBe(70)
    expect(refused.stderr).toMatch(/Error: CometBFT ended with 1: .*nonsense/)
  })
})
