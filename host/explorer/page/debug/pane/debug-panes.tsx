import { useSignal } from '@preact/signals'
import type { Debugger } from '../../state/debug/debugger.ts'
import { OpcodeHelp } from '../list/opcode-help.tsx'
import { OpcodeList } from '../list/opcode-list.tsx'
import { SourcePane } from '../source/source-pane.tsx'
import { BreakpointsPane } from './breakpoints-pane.tsx'
import { BytesPane } from './bytes-pane.tsx'
import { CallDataPane } from './call-data-pane.tsx'
import { CallStackPane } from './call-stack-pane.tsx'
import { MemoryPane } from './memory-pane.tsx'
import { Pane } from './pane.tsx'
import { type PaneTab, PaneTabs } from './pane-tabs.tsx'
import { SlotsPane } from './slots-pane.tsx'
import { StackPane } from './stack-pane.tsx'
import { useIsWide } from './use-is-wide.ts'
import { VariablesPane } from './variables-pane.tsx'
import { WatchPane } from './watch-pane.tsx'

/** All panes of a step: side by side if there is room, otherwise in tabs. */
export function DebugPanes({ debug }: { readonly debug: Debugger }) {
  const hovered = useSignal<number | undefined>(undefined)
  const isWide = useIsWide()
  const { location } = debug.run
  const step = debug.run.step.value

  const steps = (
    <Pane title="Opcodes" class="pane-steps">
      <OpcodeList debug={debug} onHover={(opcode) => (hovered.value = opcode)} />
      <OpcodeHelp opcode={hovered.value ?? step?.opcode} revision={debug.revision} />
    </Pane>
  )
  const stack: PaneTab = {
    id: 'stack',
    title: 'Stack',
    count: step?.stack.length ?? 0,
    show: () => <StackPane debug={debug} />,
  }
  const memory: PaneTab = {
    id: 'memory',
    title: 'Memory',
    show: () => <MemoryPane debug={debug} />,
  }
  const source: PaneTab = {
    id: 'source',
    title: 'Source',
    show: () => <SourcePane debug={debug} />,
  }
  const others: readonly PaneTab[] = [
    {
      id: 'storage',
      title: 'Storage',
      count: step?.storage.length ?? 0,
      show: () => <SlotsPane debug={debug} kind="storage" />,
    },
    {
      id: 'transient',
      title: 'Transient',
      count: step?.transient.length ?? 0,
      show: () => <SlotsPane debug={debug} kind="transient" />,
    },
    { id: 'calldata', title: 'Calldata', show: () => <CallDataPane debug={debug} /> },
    {
      id: 'returndata',
      title: 'Return data',
      show: () => (
        <BytesPane
          debug={debug}
          id="returndata"
          label="Return data"
          bytes={step?.returnData ?? new Uint8Array()}
          none="No call of this frame has returned data yet."
        />
      ),
    },
    { id: 'variables', title: 'Variables', show: () => <VariablesPane debug={debug} /> },
    { id: 'watch', title: 'Watch', show: () => <WatchPane debug={debug} /> },
    { id: 'frames', title: 'Frames', show: () => <CallStackPane debug={debug} /> },
    {
      id: 'breakpoints',
      title: 'Breakpoints',
      count: debug.breakpoints.value.length,
      show: () => <BreakpointsPane debug={debug} />,
    },
  ]
  const choose = (pane: string) => location.set({ pane })
  const chosen = location.view.value.pane

  if (!isWide) {
    const tabs: readonly PaneTab[] = [
      { id: 'steps', title: 'Opcodes', show: () => steps },
      source,
      stack,
      memory,
      ...others,
    ]
    return (
      <div class="debug-panes is-narrow">
        <PaneTabs label="Panes" tabs={tabs} chosen={chosen} onChoose={choose} />
      </div>
    )
  }
  return (
    <div class="debug-panes is-wide">
      {steps}
      <div class="pane-column">
        <Pane title={stack.title} class="pane-stack">
          {stack.show()}
        </Pane>
        <Pane title={memory.title} class="pane-memory">
          {memory.show()}
        </Pane>
      </div>
      <div class="pane-column">
        <Pane title={source.title} class="pane-source">
          {source.show()}
        </Pane>
        <PaneTabs label="Panes" tabs={others} chosen={chosen} onChoose={choose} />
      </div>
    </div>
  )
}
