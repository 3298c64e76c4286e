// The page that was asked for stands behind the #, which no server sees. A form that goes to an address with it is
// led on, by the server's redirect, to one with the same.
document.querySelector('form').action += location.hash;
