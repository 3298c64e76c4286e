/** Entry point of the pages. */

import { render } from 'preact';
import { App } from './app.tsx';
import { currentPlace, loadOthers, opened } from './places.tsx';
import './style.css';
import './parts.css';
import { showTheme } from './theme.ts';

/** Until the other pages are loaded: somebody looks on. */
const OTHERS_MS = 30_000;

showTheme();
const first = await opened(currentPlace());
render(<App first={first} />, document.getElementById('app')!);
setTimeout(() => void loadOthers(), OTHERS_MS);
