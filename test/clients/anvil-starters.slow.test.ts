import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { MAIN } from '../support/node/main-file.ts'
import { findPeerProject, runPeerTool } from './peer/peer-project.ts'

const project = findPeerProject('starters', 'prool/package.json')
if (project.absent !== undefined) {
  console.log(`packages that start anvil are not run: ${project.absent}`)
}

const folder = makeHome()
afterAll(() => removeHome(folder))

describe.skipIf(project.absent !== undefined)('published packages that start anvil', () => {
  test('start this node in its place, several at a time, and end it', async () => {
    const binary = join(folder, 'anvil')
    writeFileSync(binary, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" anvil "$@"\n`)
    chmodSync(binary, 0o700)
    const command = [process.execPath, join(project.folder, 'start.mjs')]
    const { code, output } = await runPeerTool(project, command, { ANVIL_BINARY: binary })
    expect(code, output).toBe(0)
    const found = JSON.parse(output.split('\n').find((line) => line.startsWith('{')) ?? '{}')
    expect(found).toEqual({
      prool: {
        chainId: '0x7b',
        accounts: 3,
        gasLimit: '0x1312d00',
        heights: ['0x1', '0x4'],
        restarted: '0x0',
      },
      viemAnvil: {
        status: 'listening',
        balance: '0x6124fee993bc0000',
        heights: ['0x0', '0x1'],
        after: 'idle',
      },
    })
  }, 300_000)
})
