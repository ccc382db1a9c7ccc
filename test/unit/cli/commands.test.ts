import { Command } from 'commander'
import { expect, test, vi } from 'vitest'
import { COMMANDS } from '../../../host/cli/commands.ts'
import { definedCommand, fullName } from '../../../tools/reference/command-page.ts'
import { runCommand } from '../../support/node/daemon.ts'

test.each(COMMANDS.map((row) => [fullName(row), row] as const))(
  'the example of %s is valid for the command as defined',
  async (name, row) => {
    const words = `lockstep ${name}`.split(' ')
    const example = row.example.split(' ')
    expect(example.slice(0, words.length)).toEqual(words)
    const actions = vi.spyOn(Command.prototype, 'action')
    const command = await definedCommand(row)
    expect(actions, 'the action of the command').toHaveBeenCalledOnce()
    actions.mockRestore()
    let ran = 0
    command.exitOverride().action(() => {
      ran += 1
    })
    await command.parseAsync(example.slice(words.length), { from: 'user' })
    expect(ran).toBe(1)
  },
)

test('the help of a command ends with its example', async () => {
  const { code, stdout } = await runCommand(['help', 'replay'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/\n\nExample:\n {2}lockstep replay test\/transactions\n$/)
})
