import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const VERSION = 'v0.38.19'

/** The source of `Now` for all times that are signed and compared. */
const CLOCK = 'types/time/time.go'

const NOW = 'Canonical(time.Now())'

const SHIFT = `package time

import (
	"os"
	"time"
)

var shift, _ = time.ParseDuration(os.Getenv("CLOCK_SHIFT"))
`

function sourceFolder(): string | undefined {
  const { status, stdout } = spawnSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' })
  if (status !== 0) return undefined
  const folder = join(stdout.trim(), `github.com/cometbft/cometbft@${VERSION}`)
  return existsSync(folder) ? folder : undefined
}

/** Returns why a CometBFT with a shifted clock cannot be built here, or an empty string if it can. */
export function shiftedMissing(): string {
  return sourceFolder() === undefined ? `there is no Go that has built cometbft ${VERSION}` : ''
}

/** Builds in `folder` a CometBFT whose clock is shifted by CLOCK_SHIFT, such as `-5s`. Takes some 20 s. */
export function buildShifted(folder: string): string {
  const source = join(folder, 'cometbft-source')
  cpSync(sourceFolder() ?? '', source, { recursive: true })
  execFileSync('chmod', ['-R', 'u+w', source])
  const clock = join(source, CLOCK)
  const original = readFileSync(clock, 'utf8')
  if (!original.includes(NOW)) throw new Error(`${CLOCK} has no ${NOW}`)
  writeFileSync(clock, original.replace(NOW, 'Canonical(time.Now().Add(shift))'))
  writeFileSync(join(source, 'types/time/shift.go'), SHIFT)
  const program = join(folder, 'cometbft-shifted')
  // Uses the modules fetched when cometbft was built, and no network.
  execFileSync('go', ['build', '-o', program, './cmd/cometbft'], {
    cwd: source,
    env: { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod' },
  })
  return program
}

/** Writes a program that runs another one with these environment variables. */
export function withVariables(
  file: string,
  program: string,
  variables: Readonly<Record<string, string>>,
): string {
  const words = Object.entries(variables).map(([name, value]) => `${name}='${value}'`)
  writeFileSync(file, `#!/bin/sh\n${words.join(' ')} exec '${program}' "$@"\n`)
  chmodSync(file, 0o755)
  return file
}
