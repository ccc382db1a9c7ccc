/** The page. */
export function App() {
  return (
    <main>
      <h1>Lockstep explorer</h1>
    </main>
  )
}
