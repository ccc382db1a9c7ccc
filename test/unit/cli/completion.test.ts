import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { CONFIG_ENTRIES } from '../../../host/base/config/schema.ts'
import { COMMANDS } from '../../../host/cli/commands.ts'
import { runCommand } from '../../support/node/daemon.ts'

const hasShell = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

/** Prints the completions of a command line, ended by a zero byte. */
const ASK = `ask() {
  COMP_WORDS=(lockstep "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _lockstep
  printf '%s\\n' "\${COMPREPLY[@]}"
  printf '\\0'
}`

describe('the completion for bash', () => {
  let script: string
  beforeAll(async () => {
    const { code, stdout } = await runCommand(['completion', 'bash'])
    expect(code).toBe(0)
    script = stdout
  })

  /** Returns the completions of the last word of each line, all from one bash process. */
  function offeredTo(lines: readonly (readonly string[])[]): string[][] {
    const asked = lines.map((words) => words.map((word) => `'${word}'`).join(' '))
    const run = `${script}
      ${asked.map((words) => `ask ${words}`).join('\n')}`
    const { stdout, stderr } = spawnSync('bash', ['-c', `${ASK}\n${run}`], { encoding: 'utf8' })
    expect(stderr).toBe('')
    const answers = stdout.split('\0').slice(0, -1)
    return answers.map((answer) => answer.split('\n').filter((line) => line !== ''))
  }

  const offered = (...words: readonly string[]): string[] => offeredTo([words])[0] ?? []

  test('offers each command at its position', () => {
    const lines = COMMANDS.map(({ name, group = '' }) => [
      ...group.split(' ').filter(Boolean),
      name,
    ])
    const found = offeredTo(lines)
    expect(found).toHaveLength(COMMANDS.length)
    for (const [i, { name }] of COMMANDS.entries()) expect(found[i]).toContain(name)
    expect(offered('con')).toEqual(['consensus', 'config'])
    expect(offered('tendermint', 'show')).toEqual(['show-node-id', 'show-validator'])
  })

  test('offers the flags of a command and the possible values of a flag', () => {
    expect(offered('init', '--mo')).toEqual(['--mode', '--moniker'])
    expect(offered('init', 'alice', '--mode', '')).toEqual(['validator', 'full'])
    expect(offered('debug', 'verify-db', '--j')).toEqual(['--json'])
    expect(offered('doctor', '--')).toContain('--deep')
  })

  test('offers every configuration key, as a flag and as an argument of config explain', () => {
    const flags = offered('start', '--')
    const keys = offered('config', 'explain', '')
    for (const { flag } of CONFIG_ENTRIES) {
      expect(flags).toContain(`--${flag}`)
      expect(keys).toContain(flag)
    }
  })

  test('leaves file names to bash if it has no suggestion', () => {
    expect(offered('import', 'chain.r')).toEqual([])
    expect(script).toMatch(/\ncomplete -o bashdefault -o default -F _lockstep lockstep\n$/)
  })
})

test.each(['zsh', 'fish'])(
  'the completion script for %s names every command and is accepted by the shell',
  async (shell) => {
    const { code, stdout } = await runCommand(['completion', shell])
    expect(code).toBe(0)
    for (const { name } of COMMANDS) expect(stdout).toContain(`'${name}`)
    if (!hasShell(shell)) {
      console.log(`${shell} is not installed: its completion is not run`)
      return
    }
    const { status, stderr } = spawnSync(shell, ['-n', '/dev/stdin'], {
      input: stdout,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  },
)

test('an unsupported shell is refused with the list of supported ones', async () => {
  const { code, stderr } = await runCommand(['completion', 'tcsh'])
  expect(code).toBe(64)
  expect(stderr).toContain('Allowed choices are bash, zsh, fish.')
})
