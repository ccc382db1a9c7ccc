import { useSignal } from '@preact/signals'
import { useExplorer } from '../state/explorer-context.ts'

/** Goes to a transaction, block or address. */
export function SearchBox() {
  const explorer = useExplorer()
  const typed = useSignal('')
  const problem = useSignal('')
  return (
    <search class="search">
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          problem.value = (await explorer.search(typed.value)) ?? ''
          if (problem.value === '') typed.value = ''
        }}
      >
        <input
          id="search"
          type="search"
          aria-label="Search a transaction, block or address"
          aria-describedby="search-problem"
          aria-invalid={problem.value !== ''}
          placeholder="Hash, address or block number"
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
            problem.value = ''
          }}
        />
      </form>
      <p id="search-problem" class="problem" role="status">
        {problem.value}
      </p>
    </search>
  )
}
