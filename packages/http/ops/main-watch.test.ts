import { Page, THREAD_SHAPE } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MainWatch } from './main-watch.ts';

const watching = suite('main watch');

watching('a standstill is logged once, and so is its end', () => {
  const main = new Page(THREAD_SHAPE, new SharedArrayBuffer(Page.bytes(THREAD_SHAPE)));
  let nowUs = 10_000_000;
  const logged: string[] = [];
  const watch = new MainWatch({
    main,
    fronts: [],
    commandNames: ['get'],
    log: (...words) => logged.push(words.join(' ')),
  });
  watch.look(nowUs);
  main.set('heartbeatUs', nowUs);
  main.set('workClient', 3);
  main.set('workCommand', 1);
  for (let nth = 0; nth < 12; nth += 1) {
    nowUs += 250_000;
    watch.look(nowUs);
  }
  assert.equal(logged, ['error main-stuck main has been running get of client 3 for 1.0 s']);
  main.set('heartbeatUs', nowUs);
  watch.look(nowUs);
  watch.look(nowUs);
  assert.equal(logged.slice(1), ['warn main-resumed main resumed after about 3.0 s']);
});

watching.run();
