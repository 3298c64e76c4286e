/** Where the pages begin. */

import { render } from 'preact';
import { App } from './app.tsx';
import './style.css';
import './parts.css';
import { showTheme } from './theme.ts';

showTheme();
render(<App />, document.getElementById('app')!);
