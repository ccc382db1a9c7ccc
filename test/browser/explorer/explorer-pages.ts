import { drop, type Tab } from '../../support/browser/browser.ts'
import { shown } from '../../support/browser/explorer-tab.ts'
import type { FailingNode } from '../../support/browser/failing-node.ts'

/** A page of the explorer, or a state of one. */
export interface ExplorerPage {
  readonly name: string
  /** Path below the explorer's root. */
  readonly path: string
  /** Text on the page after it has loaded completely. */
  readonly isThere: string | RegExp
  /** Opens the parts of the page that have no link. */
  readonly open?: (tab: Tab) => Promise<void>
}

/** Returns all pages, tabs and dialogs for the failed transaction of a node. */
export function pages({ failed, vault, compiled }: FailingNode): readonly ExplorerPage[] {
  const tx = `/tx/${failed}`
  return [
    { name: 'home', path: '', isThere: 'Recent transactions' },
    { name: 'summary', path: tx, isThere: 'Why it failed' },
    {
      name: 'summary decoded',
      path: tx,
      isThere: 'Why it failed',
      open: async (tab) => {
        await drop(tab, 'body', [compiled.buildInfo])
        await shown(tab, 'serve failed: OverLimit')
      },
    },
    { name: 'calls', path: `${tx}?tab=calls`, isThere: 'Debug where it failed' },
    { name: 'logs', path: `${tx}?tab=logs`, isThere: 'Unknown event' },
    { name: 'changes', path: `${tx}?tab=changes`, isThere: 'Balance' },
    { name: 'gas', path: `${tx}?tab=gas`, isThere: 'Including nested' },
    {
      name: 'gas by function',
      path: `${tx}?tab=gas&gasBy=function`,
      isThere: 'Gas used',
      open: async (tab) => {
        await drop(tab, 'body', [compiled.buildInfo])
        await shown(tab, 'Vault.pay')
      },
    },
    {
      name: 'frames',
      path: `${tx}?tab=debug&pane=frames`,
      isThere: 'Step 1',
      open: async (tab) => {
        await drop(tab, 'body', [compiled.buildInfo])
        await shown(tab, 'Teller.serve')
      },
    },
    { name: 'debugger', path: `${tx}?tab=debug`, isThere: 'Step 1' },
    {
      name: 'source',
      path: `${tx}?tab=debug&pane=source`,
      isThere: 'Step 1',
      open: async (tab) => {
        await drop(tab, 'body', [compiled.buildInfo])
        await shown(tab, 'line 18, Vault.pay')
      },
    },
    {
      name: 'what if',
      path: `${tx}?tab=debug`,
      isThere: 'Step 1',
      open: async (tab) => {
        await drop(tab, 'body', [compiled.buildInfo])
        await tab.click('.what-if > summary')
        await tab.fill('#argument-1', '40')
        await tab.getByRole('button', { name: 'Run with these arguments', exact: true }).click()
        await shown(tab, /Outcome .*OverLimit.* succeeded/)
      },
    },
    { name: 'block', path: '/block/5', isThere: 'Fee recipient' },
    { name: 'address', path: `/address/${vault}`, isThere: 'Gas used' },
    {
      name: 'read contract',
      path: `/address/${vault}`,
      isThere: 'Gas used',
      open: async (tab) => {
        await drop(tab, 'body', [compiled.buildInfo])
        await tab.getByRole('button', { name: 'Read limit', exact: true }).click()
        await shown(tab, /It returned .*100/)
      },
    },
    {
      name: 'call form',
      path: `/call/${vault}`,
      isThere: 'Send it as a transaction',
      open: async (tab) => {
        await drop(tab, 'body', [compiled.buildInfo])
        await tab.getByLabel('Function', { exact: true }).selectOption('pay(address,uint256)')
        await tab.getByLabel('Override', { exact: true }).selectOption('slot')
        await tab.getByRole('button', { name: 'Add', exact: true }).click()
        await shown(tab, 'slot: want a number')
      },
    },
    {
      name: 'call',
      path: `/call/${vault}?with=data:0xa4d66daf,from:${vault},value:0`,
      isThere: 'nothing was sent',
    },
    { name: 'no such page', path: '/tx/0x1234', isThere: /no such|not/i },
    {
      name: 'help',
      path: tx,
      isThere: 'Why it failed',
      open: async (tab) => {
        await tab.keyboard.press('?')
        await shown(tab, /[Kk]eyboard/)
      },
    },
    {
      name: 'node',
      path: tx,
      isThere: 'Why it failed',
      open: async (tab) => {
        await tab.getByRole('button', { name: 'Node…', exact: true }).click()
        await shown(tab, /Close/)
      },
    },
  ]
}
