import { afterAll, beforeAll, expect, test } from 'vitest'
import { drop, type Tab, textOf, withTab } from '../support/browser/browser.ts'
import { shown, stands } from '../support/browser/explorer-tab.ts'
import { type FailingNode, startFailingNode } from '../support/browser/failing-node.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { until } from '../support/until.ts'

let node: FailingNode
beforeAll(async () => {
  node = await startFailingNode()
})
afterAll(() => node?.close())

inBrowsers('the debugger', (browser) => {
  const debugging = (work: (tab: Tab) => Promise<void>) =>
    withTab(
      browser(),
      { hosts: [node.host], viewport: { width: 1440, height: 1000 } },
      async (tab) => {
        await tab.goto(`${node.explorer}/tx/${node.failed}?tab=debug`)
        await stands(tab, /REVERT/)
        await work(tab)
      },
    )

  test('the debugger starts at the failure and steps both ways by keys and by buttons', () =>
    debugging(async (tab) => {
      const failure = await stands(tab, /^Step \d+, REVERT, pc \d+.*, execution reverted$/)
      await tab.keyboard.press('Shift+N')
      await stands(tab, new RegExp(`^Step ${failure - 1}, `))
      await tab.keyboard.press('n')
      await stands(tab, new RegExp(`^Step ${failure}, REVERT`))
      // Steps out backwards, to the call that entered the frame.
      await tab.keyboard.press('Shift+O')
      const call = await stands(tab, /, CALL, /)
      expect(call).toBeLessThan(failure - 100)
      // Steps over the call, to the step after it in the calling frame.
      await tab.getByRole('button', { name: 'Step over', exact: true }).click()
      expect(await stands(tab, /^(?!.*, CALL, )/)).toBeGreaterThan(failure)
      await tab.getByRole('button', { name: 'Step over, back', exact: true }).click()
      await stands(tab, new RegExp(`^Step ${call}, CALL`))
      await tab.getByRole('button', { name: 'Step into', exact: true }).click()
      await stands(tab, new RegExp(`^Step ${call + 1}, `))
      await tab.keyboard.press('f')
      await stands(tab, new RegExp(`^Step ${failure}, REVERT`))
    }))

  test('the debugger runs to breakpoints in both directions', () =>
    debugging(async (tab) => {
      await tab.getByRole('tab', { name: 'Breakpoints', exact: true }).click()
      await tab.getByRole('textbox', { name: 'Name of the opcode', exact: true }).fill('SSTORE')
      await tab.keyboard.press('Enter')
      await shown(tab, 'SSTORE')
      await tab.getByRole('textbox', { name: 'Step', exact: true }).fill('0')
      await tab.keyboard.press('Enter')
      await stands(tab, /^Step 0, /)
      const stops: number[] = []
      for (let i = 0; i < 3; i++) {
        await tab.keyboard.press('c')
        const after = stops.at(-1) ?? 0
        stops.push(await stands(tab, new RegExp(`^Step (?!${after},)\\d+, SSTORE`)))
      }
      expect(stops).toEqual(stops.toSorted((a, b) => a - b))
      await tab.keyboard.press('Shift+C')
      expect(await stands(tab, new RegExp(`^Step ${stops[1]}, SSTORE`))).toBe(stops[1])
      expect(tab.url()).toMatch(/op:SSTORE/)
    }))

  test('the debugger goes back to the step that wrote a storage slot or a stack word', () =>
    debugging(async (tab) => {
      // `spent`, which the failing check read
      await tab.hover('[role=grid][aria-label=Storage] [role=row]:nth-of-type(2)')
      await tab
        .getByRole('button', { name: 'Find the step that wrote slot 0x1', exact: true })
        .click()
      const writer = await stands(tab, /, SSTORE, /)
      await tab.keyboard.press('n')
      await stands(tab, new RegExp(`^Step ${writer + 1}, `))
      await tab.keyboard.press('f')
      const failure = await stands(tab, /, REVERT, /)
      await tab.keyboard.press('w')
      const pushed = await stands(tab, /^Step \d+, (?!REVERT)/)
      expect(pushed).toBeLessThan(failure)
    }))

  test('the debugger steps by lines into, over and out of functions, and shows those that are open', () =>
    debugging(async (tab) => {
      await drop(tab, 'body', [node.compiled.buildInfo])
      await tab.getByRole('tab', { name: 'Frames', exact: true }).click()
      const open = tab.getByRole('list', { name: /^Functions open in / })
      await shown(tab, /Vault\.pay line 18 at step/)
      await shown(tab, /Teller\.serve line 31 at step/)
      const failure = await stands(tab, /^Step \d+, REVERT/)
      // Line 18 began before the failure.
      await tab.keyboard.press('Shift+L')
      const line = await stands(tab, /, line 18 of Vault\.sol$/)
      expect(line).toBeLessThan(failure)
      await tab.keyboard.press('Shift+L')
      await stands(tab, /, line 17 of Vault\.sol$/)
      await tab.keyboard.press('Shift+R')
      const call = await stands(tab, /, line 31 of Vault\.sol$/)
      await tab.getByRole('button', { name: 'Line into', exact: true }).click()
      await stands(tab, /, line 14 of Vault\.sol$/)
      await tab.keyboard.press('l')
      await stands(tab, /, line 15 of Vault\.sol$/)
      expect(await open.count()).toBe(2)
      await tab.getByRole('button', { name: 'Line over, back', exact: true }).click()
      await stands(tab, /, line 14 of Vault\.sol$/)
      await tab.getByRole('button', { name: 'Line into, back', exact: true }).click()
      expect(await stands(tab, /, line 31 of Vault\.sol$/)).toBe(call)
      await open.getByRole('button', { name: /^Teller\.serve/ }).click()
    }))

  test('the debugger watches expressions, and stops where a condition holds', () =>
    debugging(async (tab) => {
      await drop(tab, 'body', [node.compiled.buildInfo])
      await stands(tab, /, REVERT, .*line 18 of Vault\.sol/)
      await tab.getByRole('tab', { name: 'Watch', exact: true }).click()
      const field = tab.getByRole('textbox', { name: 'Expression to watch', exact: true })
      const watch = async (expression: string, text: RegExp | string) => {
        await field.fill(expression)
        await field.press('Enter')
        await shown(tab, text)
      }
      await watch('spent > limit', 'spent > limit true')
      await watch('paid[to]', 'paid[to] 101')
      await watch('msg.sender', `msg.sender ${node.teller.toLowerCase()}`)
      await watch('nothing', 'nothing is not known here')
      await watch('alert(1)', 'expression "alert(1)": "(" is not expected')
      await tab.getByRole('button', { name: 'Stop watching nothing', exact: true }).click()
      await until(() => new URL(tab.url()).searchParams.get('watch')?.split(';').length === 3)
      await tab.getByRole('tab', { name: 'Breakpoints', exact: true }).click()
      await tab.getByRole('combobox', { name: 'Stop at', exact: true }).selectOption('line')
      const stop = async (condition: string) => {
        await tab.getByRole('textbox', { name: 'File and line', exact: true }).fill('Vault.sol:15')
        await tab.getByRole('textbox', { name: 'Condition, if any', exact: true }).fill(condition)
        await tab.keyboard.press('Enter')
        await shown(tab, `Vault.sol:15 if ${condition}`)
        await tab.getByRole('textbox', { name: 'Step', exact: true }).fill('0')
        await tab.keyboard.press('Enter')
        await stands(tab, /^Step 0, /)
        await tab.keyboard.press('c')
      }
      await stop('amount == 40')
      await shown(tab, 'No breakpoint after this step')
      await stop('amount == 41 && msg.sender != this')
      await stands(tab, /, line 15 of Vault\.sol/)
    }))

  test('the debugger shows the same step, breakpoints and panes in a new tab from its URL', async () => {
    let address = ''
    let step = 0
    await debugging(async (tab) => {
      await tab.keyboard.press('Shift+N')
      const first = await stands(tab, /^Step (?!1291)\d+, (?!REVERT)/)
      await tab.keyboard.press('b')
      await tab.keyboard.press('Shift+N')
      step = await stands(tab, new RegExp(`^Step (?!1291|${first},)\\d+, (?!REVERT)`))
      await tab.getByRole('tab', { name: 'Breakpoints 1', exact: true }).click()
      // The page updates its URL with a delay.
      await until(() => /[?&]pane=breakpoints/.test(tab.url()))
      address = tab.url()
    })
    await withTab(
      browser(),
      { hosts: [node.host], viewport: { width: 1440, height: 1000 } },
      async (tab) => {
        await tab.goto(address)
        expect(await stands(tab, /^Step/)).toBe(step)
        expect(await textOf(tab, '[aria-label=Breakpoints]')).toMatch(/pc \d+/)
      },
    )
  })
})
