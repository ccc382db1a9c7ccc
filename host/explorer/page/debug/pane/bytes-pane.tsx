import { useSignal } from '@preact/signals'
import { formatData } from '../../../../base/hex.ts'
import type { Debugger } from '../../state/debug/debugger.ts'
import { ByteGrid } from './byte-grid.tsx'
import { copyText } from './copy-text.ts'

interface Props {
  readonly debug: Debugger
  readonly id: string
  readonly label: string
  readonly bytes: Uint8Array
  readonly none: string
}

const NO_MARKS = { changed: [], reads: [], writes: [] }

/** Constant bytes, such as calldata and return data. */
export function BytesPane({ debug, id, label, bytes, none }: Props) {
  const active = useSignal<number | undefined>(undefined)
  if (bytes.length === 0) return <p class="none">{none}</p>
  const copy = async () => {
    debug.answer.value = await copyText(formatData(bytes))
  }
  return (
    <>
      <ByteGrid
        id={id}
        label={label}
        bytes={bytes}
        marks={NO_MARKS}
        active={active.value}
        onActive={(offset) => (active.value = offset)}
      />
      <div class="pane-foot">
        <span class="muted">{bytes.length} bytes</span>
        <button type="button" class="button" onClick={() => void copy()}>
          Copy all
        </button>
      </div>
    </>
  )
}
