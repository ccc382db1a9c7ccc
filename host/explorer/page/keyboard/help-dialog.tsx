import { useEffect, useRef } from 'preact/hooks'
import { useExplorer } from '../state/explorer-context.ts'
import { keyName, SHORTCUTS, type Shortcut } from './shortcuts.ts'

/** The shortcuts, from the table that their handler reads. */
export function HelpDialog() {
  const explorer = useExplorer()
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = explorer.isHelpOpen.value
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal()
    if (!isOpen) dialog.current?.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={() => explorer.toggleHelp(false)}>
      <div class="dialog-head">
        <h2 id="help-title">Keyboard shortcuts</h2>
        <button type="button" class="button" onClick={() => explorer.toggleHelp(false)}>
          Close
        </button>
      </div>
      {isOpen && (
        <>
          <div class="help-groups">
            <Group title="Everywhere" rows={SHORTCUTS.filter(({ scope }) => scope === 'page')} />
            <Group
              title="In a transaction"
              rows={SHORTCUTS.filter(({ scope }) => scope === 'run')}
            />
          </div>
          <p class="muted">
            In lists and trees the arrow keys move, → and ← open and close, Enter selects. Esc
            leaves a field.
          </p>
        </>
      )}
    </dialog>
  )
}

function Group({ title, rows }: { readonly title: string; readonly rows: readonly Shortcut[] }) {
  return (
    <table>
      <caption>{title}</caption>
      <tbody>
        {rows.map(({ keys, does }) => (
          <tr key={does}>
            <th scope="row">
              {keys.map((key) => (
                <kbd key={key}>{keyName(key)}</kbd>
              ))}
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
