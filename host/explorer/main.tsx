import { render } from 'preact'
import { App } from './app.tsx'

const root = document.getElementById('explorer')
if (root === null) throw new Error('index.html has no element "explorer"')
render(<App />, root)
