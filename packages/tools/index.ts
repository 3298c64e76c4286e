export { runTool } from './run-tool.ts';
