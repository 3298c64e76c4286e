/** Where the pages begin. */

import { render } from 'preact';
import { App } from './app.tsx';
import { currentPlace, opened } from './places.tsx';
import './style.css';
import './parts.css';
import { showTheme } from './theme.ts';

showTheme();
const first = await opened(currentPlace());
render(<App first={first} />, document.getElementById('app')!);
