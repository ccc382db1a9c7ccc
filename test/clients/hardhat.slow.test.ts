import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { findPeerProject, runPeerTool } from './peer/peer-project.ts'

const CLI = 'hardhat/dist/src/cli.js'
const project = findPeerProject('hardhat', CLI)
if (project.absent !== undefined) console.log(`Hardhat's tests are not run: ${project.absent}`)

/** Tests in bench/peers/hardhat/test. All of them also pass on Hardhat's own node. */
const TESTS = 25

describe.skipIf(project.absent !== undefined)('the tests of a Hardhat project', () => {
  const home = makeHome()
  const build = mkdtempSync(join(tmpdir(), 'lockstep-hardhat-'))
  let daemon: Daemon

  beforeAll(async () => {
    // Hardhat's own node gives each block a second of its own, which these tests expect.
    const args = ['--dev.automine', 'true', '--dev.strict-time', 'true']
    daemon = await startDaemon({ home, arguments: args })
  })

  afterAll(async () => {
    await daemon?.stop()
    removeHome(home)
    rmSync(build, { recursive: true, force: true })
  })

  test('pass on a node after only the URL is changed, twice on one chain', async () => {
    const variables = {
      NODE_URL: daemon.ready.rpc,
      BUILD_FOLDER: build,
      HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    }
    const command = [process.execPath, join(project.folder, 'node_modules', CLI), 'test', 'nodejs']
    for (let round = 1; round <= 2; round++) {
      const { code, output } = await runPeerTool(
        project,
        [...command, '--network', 'lockstep'],
        variables,
      )
      expect(code, output).toBe(0)
      expect(output).toContain(`${TESTS} passing`)
    }
    // Each test file reverts the chain to its start.
    expect(await call(daemon.ready.rpc, 'eth_blockNumber')).toBe('0x0')
  }, 300_000)
})
