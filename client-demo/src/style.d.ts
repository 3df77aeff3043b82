// Vite turns an imported style sheet into a file that is loaded with the chunk.
declare module '*.css';
