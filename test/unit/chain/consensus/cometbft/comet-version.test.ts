import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkCometVersion } from '../../../../../host/chain/consensus/cometbft/comet-version.ts'

const INSTALL =
  'install it with `go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.19`, and name it in ' +
  '`cometbft` of [consensus] if it is not on the PATH'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'comet-version-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

function program(name: string, script: string, mode = 0o755): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, mode)
  return path
}

describe('the version of CometBFT', () => {
  test.each(['0.38.0', '0.38.19', 'v0.38.25-rc1', '0.38.19+8c8d0f3'])(
    '%s is accepted',
    async (version) => {
      const path = program('right', `[ "$*" = version ] && echo ${version}`)
      expect(await checkCometVersion(path)).toBe(version)
    },
  )

  test.each(['0.37.9', '0.40.0', '1.0.1', '10.38.1'])('%s is refused', async (version) => {
    const path = program('other', `echo ${version}`)
    await expect(checkCometVersion(path)).rejects.toMatchObject({
      code: 'COMETBFT_MISSING',
      message: `${path} is CometBFT ${version}, but this node requires 0.38`,
      hint: INSTALL,
    })
  })

  test('is an error with the path of the program if it is not executable, fails, or is another program', async () => {
    const other = program('none', 'echo GNU bash, version 5')
    await expect(checkCometVersion(other)).rejects.toMatchObject({
      message: `${other} is not CometBFT: \`${other} version\` says "GNU bash, version 5"`,
      hint: INSTALL,
    })
    const failing = program('failing', 'echo cannot >&2; exit 3')
    await expect(checkCometVersion(failing)).rejects.toMatchObject({
      message: `${failing} does not say its version: cannot`,
    })
    const closed = program('closed', '', 0o644)
    await expect(checkCometVersion(closed)).rejects.toMatchObject({
      message: `${closed} may not be run by this user`,
    })
  })

  test('is an error with the install command if the program does not exist', async () => {
    const path = join(folder, 'absent')
    await expect(checkCometVersion(path)).rejects.toMatchObject({
      code: 'COMETBFT_MISSING',
      message: `there is no CometBFT at ${path}`,
      hint: INSTALL,
    })
    await expect(checkCometVersion('cometbft-of-nobody')).rejects.toMatchObject({
      message: 'there is no program cometbft-of-nobody on the PATH',
      hint: INSTALL,
    })
  })
})
