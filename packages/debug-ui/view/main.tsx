/** Where the pages begin. */

import { render } from 'preact';
import { App } from './app.tsx';
import { liveSource } from './live.ts';
import './style.css';
import './parts.css';
import { showTheme } from './theme.ts';

showTheme();
liveSource.start();
render(<App />, document.getElementById('app')!);
